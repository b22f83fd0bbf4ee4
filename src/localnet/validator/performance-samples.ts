import { LIMITS } from '../../../generated/ledger/limits.ts';

/** What the ledger did in one period; `slot` is the last one of it. */
export type PerformanceSample = {
  readonly slot: bigint;
  readonly transactions: number;
  readonly slots: bigint;
  readonly seconds: number;
};
type Mark = { readonly timeMs: number; readonly slot: bigint; readonly transactions: number };

const PERIOD_MS = 60_000;
/** More than can be asked for need not be kept. */
const MAX_SAMPLES = LIMITS.getRecentPerformanceSamples['limit.maximum'];

/** Measures throughput once a minute by the ledger's clock; keeps as many samples as can be asked for. */
export class PerformanceSamples {
  readonly #samples: PerformanceSample[] = [];
  #mark: Mark;

  constructor(start: Mark) {
    this.#mark = start;
  }

  /** Tells how far the ledger is; a sample is taken when a period has passed. A clock set back begins it anew. */
  observe(now: Mark): void {
    const elapsedMs = now.timeMs - this.#mark.timeMs;
    if (elapsedMs < 0) this.#mark = now;
    if (elapsedMs < PERIOD_MS) return;
    this.#samples.unshift({
      slot: now.slot,
      transactions: now.transactions - this.#mark.transactions,
      slots: now.slot - this.#mark.slot,
      seconds: Math.min(Math.round(elapsedMs / 1000), 65_535),
    });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.pop();
    this.#mark = now;
  }

  /** The newest samples, newest first. */
  latest(limit: number): readonly PerformanceSample[] {
    return this.#samples.slice(0, limit);
  }
}
