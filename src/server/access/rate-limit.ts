/** The limit of one key under its plan. */
export type PlanLimit = {
  readonly name: string;
  /** Weight per second, averaged over a window. */
  readonly requestsPerSecond: number;
  /** Weight at once, or in one window. */
  readonly burst: number;
};

/** The state of a key under its plan. */
export type Standing = {
  /** Weight that the key may use now. */
  readonly remaining: number;
  /** Milliseconds until the whole burst is available again, if nothing is used meanwhile; at least 0. */
  readonly resetMs: number;
};

/** The decision about a charge, and the key's state after it. */
export type Taken = Standing & {
  readonly isAllowed: boolean;
  /** Milliseconds until the same charge can be allowed; 0 if it was. */
  readonly retryMs: number;
};

/** Weight that was used this long ago. */
export type UsedBefore = { readonly agoMs: number; readonly weight: number };

/**
 * Limits the use of each key separately, in a window that slides in steps: what was used counts until the step in which it was used is one
 * window old. A backend keeps these promises (shared suite: test/server/access/rate-limit-suite.ts):
 *
 * - Any `STEPS - 1` steps in a row let through at most the burst. A charge is allowed or refused as a whole, and a refused one uses
 *   nothing.
 * - A client that keeps to the rate with calls of one weight that divides the burst is never refused.
 * - After `retryMs` the same charge is allowed, if nothing else was used.
 */
export type RateLimit = {
  /** Charges `weight`, from 1 to the burst, if the plan allows it now. */
  readonly take: (keyId: string, plan: PlanLimit, weight: number) => Promise<Taken>;
  /** Returns the state of a key for a charge of `weight`, 1 by default; charges nothing. */
  readonly look: (keyId: string, plan: PlanLimit, weight?: number) => Promise<Taken>;
  /** Counts what a key used before this process counted for it, the oldest first. */
  readonly recall: (keyId: string, plan: PlanLimit, used: readonly UsedBefore[]) => void;
};

/** The steps of a window. */
export const STEPS = 20;

/** Returns the length of a window in whole milliseconds, rounded down: the time in which the rate adds up to the burst. */
export function windowMs({ requestsPerSecond, burst }: PlanLimit): number {
  return Math.floor((burst * 1000) / requestsPerSecond);
}

/** The weight that one key used in the last window of its plan, by step. Times are milliseconds of a clock that never goes back. */
export class SlidingWindow {
  readonly plan: PlanLimit;
  readonly #stepMs: number;
  /** The weight of step n is at n modulo STEPS. Steps before the clock began are negative. */
  readonly #used = new Float64Array(STEPS);
  #total = 0;
  #step = 0;

  constructor(plan: PlanLimit) {
    this.plan = plan;
    this.#stepMs = windowMs(plan) / STEPS;
  }

  /** Returns the step of a moment. */
  stepAt(nowMs: number): number {
    return Math.floor(nowMs / this.#stepMs);
  }

  /** Charges a weight if the plan allows it. */
  take(nowMs: number, weight: number): Taken {
    const taken = this.look(nowMs, weight);
    if (taken.isAllowed) this.add(this.#step, weight);
    return taken.isAllowed ? this.#state(nowMs, true, 0) : taken;
  }

  /** Returns whether a weight would be allowed, and the state without it. */
  look(nowMs: number, weight: number): Taken {
    this.#moveTo(this.stepAt(nowMs));
    const excess = this.#total + weight - this.plan.burst;
    return excess <= 0
      ? this.#state(nowMs, true, 0)
      : this.#state(nowMs, false, this.#untilFree(nowMs, excess));
  }

  /** Adds used weight to a step; a step that is a window old no longer counts. */
  add(step: number, weight: number): void {
    if (step > this.#step) this.#moveTo(step);
    if (step <= this.#step - STEPS) return;
    const at = placeOf(step);
    this.#used[at] = (this.#used[at] ?? 0) + weight;
    this.#total += weight;
  }

  /** Forgets everything, including the current step: the clock may have been set back. */
  clear(): void {
    this.#used.fill(0);
    this.#total = 0;
    this.#step = 0;
  }

  /** True if no step counts any more. */
  isEmpty(nowMs: number): boolean {
    this.#moveTo(this.stepAt(nowMs));
    return this.#total === 0;
  }

  #moveTo(step: number): void {
    if (step <= this.#step) return;
    if (step - this.#step >= STEPS) this.clear();
    else {
      for (let passed = this.#step + 1; passed <= step; passed++) {
        const at = placeOf(passed);
        this.#total -= this.#used[at] ?? 0;
        this.#used[at] = 0;
      }
    }
    this.#step = step;
  }

  #state(nowMs: number, isAllowed: boolean, retryMs: number): Taken {
    const remaining = Math.max(0, this.plan.burst - this.#total);
    return {
      isAllowed,
      remaining,
      resetMs: this.#total === 0 ? 0 : this.#untilFree(nowMs, this.#total),
      retryMs,
    };
  }

  /** Returns the milliseconds until this much of the used weight no longer counts. */
  #untilFree(nowMs: number, weight: number): number {
    let freed = 0;
    for (let step = this.#step - STEPS + 1; step <= this.#step; step++) {
      freed += this.#used[placeOf(step)] ?? 0;
      if (freed >= weight) return Math.max(1, Math.ceil((step + STEPS) * this.#stepMs - nowMs));
    }
    return Math.ceil(STEPS * this.#stepMs);
  }
}

/** @param step of the current window: after `-STEPS`. */
function placeOf(step: number): number {
  return step < 0 ? step + STEPS : step % STEPS;
}

/** Interval at which windows that no longer count are removed. */
const SWEEP_MS = 10_000;

/** The window of a key. */
type KeyWindow = { readonly plan: PlanLimit; readonly isEmpty: (nowMs: number) => boolean };

/** The windows of keys, each kept while something counts in it. */
export type Windows<W extends KeyWindow> = {
  /** Returns the window of a key. A rewritten plan is a new object, and gets new windows. */
  readonly of: (keyId: string, plan: PlanLimit) => W;
};

/** Creates the windows of one process. One timer runs while there are any; it does not keep the process alive. */
export function createWindows<W extends KeyWindow>(
  now: () => number,
  create: (keyId: string, plan: PlanLimit) => W,
): Windows<W> {
  const windows = new Map<string, W>();
  let isSweeping = false;
  const sweepLater = (): void => {
    isSweeping = true;
    setTimeout(sweep, SWEEP_MS).unref();
  };
  const sweep = (): void => {
    const nowMs = now();
    for (const [keyId, window] of windows) if (window.isEmpty(nowMs)) windows.delete(keyId);
    isSweeping = false;
    if (windows.size > 0) sweepLater();
  };
  return {
    of: (keyId, plan) => {
      const known = windows.get(keyId);
      if (known?.plan === plan) return known;
      const made = create(keyId, plan);
      windows.set(keyId, made);
      if (!isSweeping) sweepLater();
      return made;
    },
  };
}

/** Creates the rate limit of one process, in memory. `now` never goes back, whatever happens to the system clock. */
export function createMemoryRateLimit(now: () => number = () => performance.now()): RateLimit {
  const windows = createWindows(now, (_keyId, plan) => new SlidingWindow(plan));
  return {
    take: async (keyId, plan, weight) => windows.of(keyId, plan).take(now(), weight),
    look: async (keyId, plan, weight = 1) => windows.of(keyId, plan).look(now(), weight),
    recall: (keyId, plan, used) => {
      const [window, nowMs] = [windows.of(keyId, plan), now()];
      for (const { agoMs, weight } of used) window.add(window.stepAt(nowMs - agoMs), weight);
    },
  };
}
