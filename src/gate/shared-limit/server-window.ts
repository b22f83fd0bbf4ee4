import { type PlanLimit, STEPS, type Taken, windowMs } from '../rate-limit.ts';
import { SlidingWindow } from '../sliding-window.ts';
import type { Report, SharedWindow } from './shared-counts.ts';

/** The window of one key on one server: what all servers were last known to have used, and what this one allowed since. */
export class ServerWindow {
  readonly plan: PlanLimit;
  readonly #name: string;
  readonly #window: SlidingWindow;
  /** What was allowed and is not in a report yet. */
  #unreported = new Map<number, number>();
  /** The units that were allowed here, reported or not: the common counts may come back empty. */
  #own: Steps = new Map();
  /** What is in reports that are not answered yet, in their order. */
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

  /** Charges a weight by what is known here. */
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

  /** Forgets what counts no longer, while nothing can be reported. */
  forgetPast(nowMs: number): void {
    const step = this.#window.stepAt(nowMs);
    this.#unreported = inWindow(this.#unreported, step);
    this.#own = inWindow(this.#own, step);
  }

  /** Reports what was allowed since the last report. What is not answered is reported again. */
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

  /** Of each step counts what is known of all servers, and at least what was allowed here. */
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
 * Returns what still counts. A step that is to come is one of another clock, a little before this one or set back since: it counts as the
 * present one, and not at all if it is further away than a window.
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
