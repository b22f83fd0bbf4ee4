import { type PlanLimit, STEPS, type Taken, windowMs } from './rate-limit.ts';

/** What one key used in the last window of its plan, by step. Times are milliseconds of a clock that does not go back. */
export class SlidingWindow {
  readonly plan: PlanLimit;
  readonly #stepMs: number;
  /** The weight of step n is at n modulo STEPS. */
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

  /** Counts what was used in a step; one that is a window old counts no longer. */
  add(step: number, weight: number): void {
    if (step > this.#step) this.#moveTo(step);
    if (step <= this.#step - STEPS) return;
    const at = step % STEPS;
    this.#used[at] = (this.#used[at] ?? 0) + weight;
    this.#total += weight;
  }

  /** Forgets everything, the present step too: the clock may have been set back. */
  clear(): void {
    this.#used.fill(0);
    this.#total = 0;
    this.#step = 0;
  }

  /** True if nothing counts any more. */
  isEmpty(nowMs: number): boolean {
    this.#moveTo(this.stepAt(nowMs));
    return this.#total === 0;
  }

  #moveTo(step: number): void {
    if (step <= this.#step) return;
    if (step - this.#step >= STEPS) this.clear();
    else {
      for (let passed = this.#step + 1; passed <= step; passed++) {
        const at = passed % STEPS;
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

  /** Returns the milliseconds until so much of what was used counts no longer. */
  #untilFree(nowMs: number, weight: number): number {
    let freed = 0;
    for (let step = this.#step - STEPS + 1; step <= this.#step; step++) {
      freed += step < 0 ? 0 : (this.#used[step % STEPS] ?? 0);
      if (freed >= weight) return Math.max(1, Math.ceil((step + STEPS) * this.#stepMs - nowMs));
    }
    return Math.ceil(STEPS * this.#stepMs);
  }
}
