import { LIMITS } from '../../../generated/ledger/limits.ts';

/** Throughput in one period; `slot` is its last one. */
export type PerformanceSample = {
  readonly slot: bigint;
  readonly transactions: number;
  readonly slots: bigint;
  readonly seconds: number;
};
type Mark = { readonly timeMs: number; readonly slot: bigint; readonly transactions: number };

const PERIOD_MS = 60_000;
/** Samples beyond the maximum of a request need not be kept. */
const MAX_SAMPLES = LIMITS.getRecentPerformanceSamples['limit.maximum'];

/** Measures throughput once a minute by the ledger's clock; keeps as many samples as a request can ask for. */
export class PerformanceSamples {
  readonly #samples: PerformanceSample[] = [];
  #mark: Mark;

  constructor(start: Mark) {
    this.#mark = start;
  }

  /** Reports the ledger's progress; a sample is taken when a period has passed. A clock that is set back restarts the period. */
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

  /** Returns the newest samples, newest first. */
  latest(limit: number): readonly PerformanceSample[] {
    return this.#samples.slice(0, limit);
  }
}
