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
  /** What is in reports that are not answered yet, in their order. */
  readonly #underWay = new Map<number, ReadonlyMap<number, number>>();
  #reports = 0;
  #strictUntilMs = 0;

  constructor(name: string, plan: PlanLimit) {
    this.plan = plan;
    this.#name = name;
    this.#window = new SlidingWindow(plan);
  }

  /** Charges a weight by what is known here. */
  take(nowMs: number, weight: number): Taken {
    const taken = this.#window.take(nowMs, weight);
    if (taken.isAllowed) addTo(this.#unreported, this.#window.stepAt(nowMs), weight);
    else this.#beStrict(nowMs);
    return taken;
  }

  look(nowMs: number, weight: number): Taken {
    return this.#window.look(nowMs, weight);
  }

  /** True for a window after a charge was refused: then all servers decide together. */
  isStrict(nowMs: number): boolean {
    return nowMs < this.#strictUntilMs;
  }

  hasUnreported(): boolean {
    return this.#unreported.size > 0;
  }

  isEmpty(nowMs: number): boolean {
    return this.#window.isEmpty(nowMs) && !this.hasUnreported() && this.#underWay.size === 0;
  }

  /** Reports what was allowed since the last report. What is not answered is reported again. */
  async exchange(
    nowMs: number,
    send: (report: Report) => Promise<SharedWindow>,
    wish?: Report['wish'],
  ): Promise<boolean> {
    const step = this.#window.stepAt(nowMs);
    const used = this.#unreported;
    const number = ++this.#reports;
    this.#unreported = new Map();
    this.#underWay.set(number, used);
    const report = { name: this.#name, step, keepMs: 2 * windowMs(this.plan), used };
    try {
      const { isAllowed, steps } = await send({ ...report, ...(wish && { wish }) });
      this.#underWay.delete(number);
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

  #learn(steps: ReadonlyMap<number, number>): void {
    this.#window.clear();
    for (const known of [steps, ...this.#underWay.values(), this.#unreported])
      for (const [step, weight] of known) this.#window.add(step, weight);
  }
}

function addTo(steps: Map<number, number>, step: number, weight: number): void {
  steps.set(step, (steps.get(step) ?? 0) + weight);
}
