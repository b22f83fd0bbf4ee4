import { serviceError } from '../../../core/service-error.ts';
import {
  type PlanLimit,
  type RateLimit,
  type Taken,
  type UsedBefore,
  STEPS,
  windowMs,
  SlidingWindow,
  createWindows,
} from '../rate-limit.ts';
import type { SharedCounts, Report, SharedWindow } from './shared-counts.ts';

/** Milliseconds within which a server reports to the others what it allowed. */
const MERGE_MS = 50;

/** The policy while the shared counts are unavailable: `open`, each server limits on its own; `closed`, requests are refused. */
export type WhenLost = 'open' | 'closed';

export type SharedRateLimits = {
  /** Returns the limit of one use of keys, such as calls: the same name on every server. */
  readonly of: (use: string) => RateLimit;
  /** Sends pending reports, and resolves when they were answered or have failed. */
  readonly merge: () => Promise<void>;
  /** Sends pending reports, and stops. */
  readonly close: () => Promise<void>;
};

/**
 * Creates limits that several servers keep together. A server decides by what it knows, and learns what the others allowed within
 * MERGE_MS: a burst that reaches all of them after a pause exceeds the plan by at most what arrives in that time. For a window
 * after a refusal, each charge that a server would allow is decided by the common counts.
 */
export function createSharedRateLimits(counts: SharedCounts, whenLost: WhenLost): SharedRateLimits {
  const { now, report } = counts;
  let waiting = new Set<ServerWindow>();
  let timer: NodeJS.Timeout | undefined;

  const merge = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const due = waiting;
    waiting = new Set();
    const nowMs = now();
    if (!counts.isUp()) {
      for (const window of due) window.forgetPast(nowMs);
      return later([...due]);
    }
    await Promise.all(
      // `counts` counts and logs the failure; the report is sent again.
      [...due].map((window) => window.exchange(nowMs, report).catch(() => later([window]))),
    );
  };
  const later = (windows: readonly ServerWindow[]): void => {
    for (const window of windows) if (window.hasUnreported()) waiting.add(window);
    if (waiting.size > 0) timer ??= setTimeout(() => void merge(), MERGE_MS).unref();
  };

  /** Decides a charge by the shared counts; while those are unavailable, as `whenLost` says. */
  const takeTogether = async (window: ServerWindow, weight: number): Promise<Taken> => {
    const { burst } = window.plan;
    try {
      const isAllowed = await window.exchange(now(), report, { weight, burst });
      const known = window.look(now(), weight);
      return isAllowed ? { ...known, isAllowed, retryMs: 0 } : { ...known, isAllowed };
    } catch {
      return takeAlone(window, weight);
    }
  };
  const takeAlone = (window: ServerWindow, weight: number): Taken => {
    assertAny();
    const taken = window.take(now(), weight);
    if (taken.isAllowed) later([window]);
    return taken;
  };
  const assertAny = (): void => {
    if (whenLost === 'closed' && !counts.isUp()) throw serviceError('limitsUnavailable');
  };

  const of = (use: string): RateLimit => {
    const windows = createWindows(now, (keyId, plan) => new ServerWindow(nameOf(use, keyId, plan), plan));
    return {
      take: async (keyId, plan, weight) => {
        const window = windows.of(keyId, plan);
        const nowMs = now();
        if (!window.isStrict(nowMs) || !counts.isUp()) return takeAlone(window, weight);
        // The shared counts include these: a charge that these refuse would be refused there too.
        return window.look(nowMs, weight).isAllowed
          ? takeTogether(window, weight)
          : takeAlone(window, weight);
      },
      look: async (keyId, plan, weight = 1) => {
        assertAny();
        return windows.of(keyId, plan).look(now(), weight);
      },
      recall: (keyId, plan, used) => windows.of(keyId, plan).recall(now(), used),
    };
  };
  return { of, merge, close: merge };
}

/** A plan with other figures has other windows. */
function nameOf(use: string, keyId: string, { name, requestsPerSecond, burst }: PlanLimit): string {
  return [use, keyId, name, requestsPerSecond, burst].join(':');
}

/** The window of one key on one server: what all servers were last known to have used, and what this one allowed since. */
class ServerWindow {
  readonly plan: PlanLimit;
  readonly #name: string;
  readonly #window: SlidingWindow;
  /** Allowed weight that is in no report yet. */
  #unreported = new Map<number, number>();
  /** Weight that was allowed here, reported or not: the shared counts may come back empty. */
  #own: Steps = new Map();
  /** Weight in reports that are not answered yet, in their order. */
  readonly #underWay = new Map<number, ReadonlyMap<number, number>>();
  #reports = 0;
  /** The step of the last charge or report: an answer may come in a later one than its report was sent in. */
  #present = 0;
  #strictUntilMs = 0;

  constructor(name: string, plan: PlanLimit) {
    this.plan = plan;
    this.#name = name;
    this.#window = new SlidingWindow(plan);
  }

  /** Charges a weight by the counts that this server has. */
  take(nowMs: number, weight: number): Taken {
    const taken = this.#window.take(nowMs, weight);
    if (taken.isAllowed) {
      this.#present = this.#window.stepAt(nowMs);
      for (const steps of [this.#unreported, this.#own]) addTo(steps, this.#present, weight);
    } else this.#beStrict(nowMs);
    return taken;
  }

  look(nowMs: number, weight: number): Taken {
    return this.#window.look(nowMs, weight);
  }

  /** Counts what was used before, unless the shared counts have more of it. */
  recall(nowMs: number, used: readonly UsedBefore[]): void {
    for (const { agoMs, weight } of used) {
      const step = this.#window.stepAt(nowMs - agoMs);
      addTo(this.#own, step, weight);
      this.#window.add(step, weight);
    }
  }

  /** True for a window after a charge was refused: then all servers decide together. */
  isStrict(nowMs: number): boolean {
    const leftMs = this.#strictUntilMs - nowMs;
    return leftMs > 0 && leftMs <= windowMs(this.plan);
  }

  hasUnreported(): boolean {
    return this.#unreported.size > 0;
  }

  isEmpty(nowMs: number): boolean {
    return this.#window.isEmpty(nowMs) && !this.hasUnreported() && this.#underWay.size === 0;
  }

  /** Forgets what no longer counts, while nothing can be reported. */
  forgetPast(nowMs: number): void {
    const step = this.#window.stepAt(nowMs);
    this.#unreported = inWindow(this.#unreported, step);
    this.#own = inWindow(this.#own, step);
  }

  /** Reports what was allowed since the last report. A report without an answer is sent again. */
  async exchange(
    nowMs: number,
    send: (report: Report) => Promise<SharedWindow>,
    wish?: Report['wish'],
  ): Promise<boolean> {
    const step = this.#window.stepAt(nowMs);
    this.#present = step;
    const used = inWindow(this.#unreported, step);
    const number = ++this.#reports;
    this.#unreported = new Map();
    this.#underWay.set(number, used);
    const report = { name: this.#name, step, keepMs: 2 * windowMs(this.plan), used };
    try {
      const { isAllowed, steps } = await send({ ...report, ...(wish && { wish }) });
      this.#underWay.delete(number);
      if (wish !== undefined && isAllowed) addTo(this.#own, step, wish.weight);
      this.#learn(steps);
      if (wish !== undefined && !isAllowed) this.#beStrict(nowMs);
      return isAllowed;
    } catch (error) {
      this.#underWay.delete(number);
      for (const [at, weight] of used) if (at > step - STEPS) addTo(this.#unreported, at, weight);
      throw error;
    }
  }

  #beStrict(nowMs: number): void {
    this.#strictUntilMs = nowMs + windowMs(this.plan);
  }

  /** Takes over the weight of each step from all servers, but at least what was allowed here. */
  #learn(shared: ReadonlyMap<number, number>): void {
    const step = this.#present;
    const known: Steps = new Map();
    for (const steps of [shared, ...this.#underWay.values(), this.#unreported])
      for (const [at, weight] of inWindow(steps, step)) addTo(known, at, weight);
    this.#own = inWindow(this.#own, step);
    for (const [at, weight] of this.#own) known.set(at, Math.max(weight, known.get(at) ?? 0));
    this.#window.clear();
    for (const [at, weight] of known) this.#window.add(at, weight);
  }
}

type Steps = Map<number, number>;

/**
 * Returns the steps that still count. A future step comes from a clock that is ahead or was set back: it counts as the current step, or not
 * at all if it is more than a window ahead.
 */
function inWindow(steps: ReadonlyMap<number, number>, step: number): Steps {
  const counting: Steps = new Map();
  for (const [at, weight] of steps)
    if (Math.abs(at - step) < STEPS) addTo(counting, Math.min(at, step), weight);
  return counting;
}

function addTo(steps: Steps, step: number, weight: number): void {
  steps.set(step, (steps.get(step) ?? 0) + weight);
}
