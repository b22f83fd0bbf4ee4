import { LIMITS } from '../../../generated/ledger/limits.ts';

/** Throughput in one period; `slot` is its last one. */
export type PerformanceSample = {
  readonly slot: bigint;
  readonly transactions: number;
  readonly votes: number;
  readonly slots: bigint;
  readonly seconds: number;
};

/** The progress of a ledger: its newest closed slot, and the transactions and votes so far. */
export type Progress = {
  readonly timeMs: number;
  readonly slot: bigint;
  readonly transactions: number;
  readonly votes: number;
};

type SampleState = { readonly samples: readonly PerformanceSample[]; readonly mark: Progress };

const PERIOD_MS = 60_000;
/** Samples beyond the maximum of a request need not be kept. */
const MAX_SAMPLES = LIMITS.getRecentPerformanceSamples['limit.maximum'];

/** Measures throughput once a minute by the ledger's clock; keeps as many samples as a request can ask for. */
export class PerformanceSamples {
  #samples: readonly PerformanceSample[] = [];
  #mark: Progress;

  constructor(start: Progress) {
    this.#mark = start;
  }

  /** Reports the ledger's progress; a sample is taken when a period has passed. A clock that is set back restarts the period. */
  observe(now: Progress): void {
    const elapsedMs = now.timeMs - this.#mark.timeMs;
    if (elapsedMs < 0) this.#mark = now;
    if (elapsedMs < PERIOD_MS) return;
    const sample = {
      slot: now.slot,
      transactions: now.transactions - this.#mark.transactions,
      votes: now.votes - this.#mark.votes,
      slots: now.slot - this.#mark.slot,
      seconds: Math.min(Math.round(elapsedMs / 1000), 65_535),
    };
    this.#samples = [sample, ...this.#samples].slice(0, MAX_SAMPLES);
    this.#mark = now;
  }

  /** Restarts the period; earlier progress does not count. */
  restart(now: Progress): void {
    this.#mark = now;
  }

  /** Returns all samples and the current period, for `goTo`. */
  take(): SampleState {
    return { samples: this.#samples, mark: this.#mark };
  }

  goTo({ samples, mark }: SampleState): void {
    this.#samples = samples;
    this.#mark = mark;
  }

  /** Returns the newest samples, newest first. */
  latest(limit: number): readonly PerformanceSample[] {
    return this.#samples.slice(0, limit);
  }
}
