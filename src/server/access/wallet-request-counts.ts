import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import { createBatchWriter } from './batch-writer.ts';

/** The answered requests of an account in a minute (see `WalletMinute` of src/account). */
export type CountedMinute = {
  readonly minuteMs: number;
  readonly accountId: string;
  requests: number;
  failed: number;
};

export type WalletRequestCountsOptions = {
  /** Stores a batch, all of it or nothing. `number` grows by one from batch to batch; a batch sent again is not added again. */
  readonly write: (number: number, rows: readonly CountedMinute[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Maximum number of rows in memory, including those that the store has not accepted yet. Default 100,000: about 10 MB. */
  readonly maxRows?: number;
  /** Interval between stores. Default 5,000 ms. */
  readonly intervalMs?: number;
};

/** Counts a request of an account that was answered, or that the service failed to answer, in the current minute. */
export type CountAnswer = (accountId: string, isFailed: boolean) => void;

export type WalletRequestCounts = {
  readonly count: CountAnswer;
  /** Stores everything counted so far. Rejects with the store's error; nothing is lost by that. */
  readonly flush: () => Promise<void>;
  /** Stores the remaining rows, within 5 s, and logs those that could not be stored. Never rejects; may be called twice. */
  readonly close: () => Promise<void>;
};

const INTERVAL_MS = 5_000;
const MINUTE_MS = 60_000;
const MAX_ROWS = 100_000;

/**
 * Counts requests to the wallet service by account and minute in memory and stores them in batches. While the store fails, batches wait:
 * nothing is lost or added twice until `maxRows` are waiting. A killed process loses its counts since the last interval.
 */
export function createWalletRequestCounts(options: WalletRequestCountsOptions): WalletRequestCounts {
  const { clock, log, write, maxRows = MAX_ROWS, intervalMs = INTERVAL_MS } = options;
  let rows = new Map<string, CountedMinute>();
  let earlier: readonly CountedMinute[] = [];
  let minuteMs = 0;
  let lost = 0;
  let isFull = false;
  const take = (): readonly CountedMinute[] => {
    const taken = [...earlier, ...rows.values()];
    earlier = [];
    rows = new Map();
    return taken;
  };
  const writer = createBatchWriter<CountedMinute>({
    take,
    log,
    what: 'the count of wallet requests',
    intervalMs,
    write: async (number, batch) => {
      await write(number, batch);
      isFull = false;
    },
  });
  const startMinute = (nowMs: number): void => {
    earlier = [...earlier, ...rows.values()];
    rows = new Map();
    minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  };
  const addRow = (accountId: string): CountedMinute | undefined => {
    if (writer.rows() + earlier.length + rows.size >= maxRows) return undefined;
    const row = { minuteMs, accountId, requests: 0, failed: 0 };
    rows.set(accountId, row);
    return row;
  };
  const count: CountAnswer = (accountId, isFailed) => {
    const nowMs = clock.nowMs();
    if (nowMs < minuteMs || nowMs >= minuteMs + MINUTE_MS) startMinute(nowMs);
    const row = rows.get(accountId) ?? addRow(accountId);
    if (row === undefined) {
      lost += 1;
      if (!isFull)
        log.error({ maxRows }, 'wallet requests are not counted: too many counts are waiting for the store');
      isFull = true;
      return;
    }
    row.requests += 1;
    if (isFailed) row.failed += 1;
  };
  const close = async (): Promise<void> => {
    const left = await writer.close();
    const requests = left.reduce((sum, row) => sum + row.requests, lost);
    if (requests > 0)
      log.error(
        { requests },
        'counts of these wallet requests were lost: the store did not accept them in time',
      );
  };
  let closing: Promise<void> | undefined;
  return { count, flush: writer.flush, close: () => (closing ??= close()) };
}
