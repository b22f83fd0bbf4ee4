import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import { createBatchWriter } from './batch-writer.ts';
import type { ServedTotals } from './meter.ts';

/** The calls of a network since the start of the process. `durations`: those in each bucket of durations. */
export type CallTotals = ServedTotals & { readonly durations: readonly number[] };

/** Calls of a network that ended in five minutes (see `NetworkCallsRow` of src/account). */
export type RecordedCalls = CallTotals & { readonly startMs: number; readonly network: string };

export type CallRecorderOptions = {
  readonly networks: readonly string[];
  /** Returns the calls of a network that have ended since the start of the process. */
  readonly totals: (network: string) => CallTotals;
  /** Stores a batch, all of it or nothing. `number` grows by one from batch to batch; a batch sent again is not added again. */
  readonly write: (number: number, rows: readonly RecordedCalls[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Maximum number of rows that wait for the store. Default 10,000: two days of three networks. */
  readonly maxRows?: number;
};

export type CallRecorder = {
  /** Stores the calls that have ended so far. Rejects with the store's error; nothing is lost by that. */
  readonly flush: () => Promise<void>;
  /** Stores the remaining rows, within 5 s, and logs those that could not be stored. Never rejects; may be called twice. */
  readonly close: () => Promise<void>;
};

const INTERVAL_MS = 60_000;
const FIVE_MINUTES_MS = 300_000;
const MAX_ROWS = 10_000;

/**
 * Stores new calls once a minute, under the five minutes that are current then. The first row of a network is stored even without calls:
 * calls are known from then on. While the store fails, at most `maxRows` rows wait; calls counted beyond that are stored later, under the
 * five minutes of that time. A killed process loses its last minute.
 */
export function createCallRecorder(options: CallRecorderOptions): CallRecorder {
  const { networks, totals, write, clock, log, maxRows = MAX_ROWS } = options;
  const taken = new Map<string, CallTotals>();
  const takeRow = (network: string, startMs: number): readonly RecordedCalls[] => {
    const now = totals(network);
    const before = taken.get(network);
    if (before !== undefined && isSame(before, now)) return [];
    taken.set(network, now);
    return [{ startMs, network, ...(before === undefined ? now : difference(now, before)) }];
  };
  const take = (): readonly RecordedCalls[] => {
    if (writer.rows() + networks.length > maxRows) return [];
    const startMs = Math.floor(clock.nowMs() / FIVE_MINUTES_MS) * FIVE_MINUTES_MS;
    return networks.flatMap((network) => takeRow(network, startMs));
  };
  const writer = createBatchWriter<RecordedCalls>({
    take,
    write,
    log,
    what: 'the record of calls',
    intervalMs: INTERVAL_MS,
  });
  const close = async (): Promise<void> => {
    const lost = await writer.close();
    const calls = lost.reduce((sum, row) => sum + row.calls, 0);
    if (calls > 0)
      log.error({ calls }, 'the record of these calls was lost: the store did not accept them in time');
  };
  let closing: Promise<void> | undefined;
  return { flush: writer.flush, close: () => (closing ??= close()) };
}

function isSame(before: CallTotals, { durations, calls }: CallTotals): boolean {
  return calls === before.calls && durations.every((count, bucket) => count === before.durations[bucket]);
}

function difference(now: CallTotals, before: CallTotals): CallTotals {
  return {
    calls: now.calls - before.calls,
    errors: now.errors - before.errors,
    durations: now.durations.map((count, bucket) => count - (before.durations[bucket] ?? 0)),
  };
}
