import type { CallTotals } from './call-counts.ts';

/** Calls of the last minutes, of all accounts, in this process. */
export type RecentCalls = {
  readonly seconds: number;
  readonly calls: number;
  readonly errors: number;
  /** 99 of 100 calls took at most this long: the end of a bucket. Undefined without calls, and beyond the last bucket. */
  readonly p99Ms: number | undefined;
};

export type RecentCallsOptions = {
  readonly totals: (network: string) => CallTotals;
  readonly networks: readonly string[];
  /** A clock that never goes back. */
  readonly nowMs: () => number;
};

type Sample = { readonly atMs: number; readonly totals: ReadonlyMap<string, CallTotals> };

const SAMPLE_MS = 60_000;
/** The oldest of these samples is five minutes old. */
const KEPT = 6;

/** What the calls of each network were in the last five minutes, or since the start. */
export class RecentCallCounts {
  readonly #options: RecentCallsOptions;
  readonly #timer: NodeJS.Timeout;
  #samples: Sample[] = [];

  /** Takes a sample each minute until it is closed. */
  constructor(options: RecentCallsOptions) {
    this.#options = options;
    this.sample();
    this.#timer = setInterval(() => this.sample(), SAMPLE_MS).unref();
  }

  /** Takes a sample now. */
  sample(): void {
    const { networks, totals, nowMs } = this.#options;
    const taken = { atMs: nowMs(), totals: new Map(networks.map((network) => [network, totals(network)])) };
    this.#samples = [...this.#samples, taken].slice(-KEPT);
  }

  /** Returns the calls of a network since the oldest sample. */
  read(network: string): RecentCalls {
    const { totals, nowMs } = this.#options;
    const [oldest] = this.#samples;
    const before = oldest?.totals.get(network);
    const now = totals(network);
    const durations = now.durations.map(({ upToS, calls }, bucket) => ({
      upToS,
      calls: calls - (before?.durations[bucket]?.calls ?? 0),
    }));
    return {
      seconds: Math.round((nowMs() - (oldest?.atMs ?? nowMs())) / 1_000),
      calls: now.calls - (before?.calls ?? 0),
      errors: now.errors - (before?.errors ?? 0),
      p99Ms: p99(durations),
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

function p99(durations: CallTotals['durations']): number | undefined {
  const all = durations.reduce((total, { calls }) => total + calls, 0);
  let count = 0;
  for (const { upToS, calls } of durations) {
    count += calls;
    if (all > 0 && count >= all * 0.99) return Number.isFinite(upToS) ? Math.ceil(upToS * 1_000) : undefined;
  }
  return undefined;
}
