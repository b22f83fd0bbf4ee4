import type { Logger } from 'pino';

export type BatchWriterOptions<R> = {
  /** Removes and returns the rows that have been counted since it was called last. */
  readonly take: () => readonly R[];
  /** Stores a batch, all of it or nothing. `number` grows by one from batch to batch; a batch sent again is not added again. */
  readonly write: (number: number, rows: readonly R[]) => Promise<void>;
  readonly log: Logger;
  /** The rows in log messages, such as `the record of calls`. */
  readonly what: string;
  readonly intervalMs: number;
};

export type BatchWriter<R> = {
  /** Returns the number of rows that were taken and are not stored yet. */
  readonly rows: () => number;
  /** Starts to store, unless that is in progress. */
  readonly tick: () => void;
  /** Stores everything counted so far. Rejects with the store's error; nothing is lost by that. */
  readonly flush: () => Promise<void>;
  /** Stores the remaining rows, within 5 s. Never rejects; may be called twice. @returns the rows that the store did not accept. */
  readonly close: () => Promise<readonly R[]>;
};

type Batch<R> = { readonly number: number; readonly rows: readonly R[] };

const BATCH_ROWS = 10_000;
const CLOSE_DEADLINE_MS = 5_000;

/**
 * Stores rows in batches, at intervals. While the store fails, batches wait and are sent again with their numbers: nothing is lost or
 * added twice. `take` bounds how many wait. A failure is logged when it begins and when it is over.
 */
export function createBatchWriter<R>({
  take,
  write,
  log,
  what,
  intervalMs,
}: BatchWriterOptions<R>): BatchWriter<R> {
  const batches: Batch<R>[] = [];
  let lastNumber = 0;
  let isFailing = false;
  let isBusy = false;
  let last: Promise<void> = Promise.resolve();
  const add = (added: readonly R[]): void => {
    for (let start = 0; start < added.length; start += BATCH_ROWS)
      batches.push({ number: ++lastNumber, rows: added.slice(start, start + BATCH_ROWS) });
  };
  const writeAll = async (): Promise<void> => {
    for (let batch = batches[0]; batch !== undefined; batch = batches[0]) {
      try {
        await write(batch.number, batch.rows);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (!isFailing) log.error({ reason }, `cannot store ${what}; it is kept in memory and retried`);
        isFailing = true;
        throw error;
      }
      batches.shift();
      if (isFailing) log.info(`${what} is stored again`);
      isFailing = false;
    }
  };
  const store = async (): Promise<void> => {
    isBusy = true;
    try {
      await writeAll();
      add(take());
      await writeAll();
    } finally {
      isBusy = false;
    }
  };
  const flush = (): Promise<void> => {
    const next = last.then(store);
    last = next.catch(() => undefined);
    return next;
  };
  const tick = (): void => {
    if (!isBusy) flush().catch(() => undefined);
  };
  const timer = setInterval(tick, intervalMs).unref();
  const close = async (): Promise<readonly R[]> => {
    clearInterval(timer);
    await withDeadline(CLOSE_DEADLINE_MS, flush()).catch(() => undefined);
    add(take());
    return batches.splice(0).flatMap(({ rows }) => rows);
  };
  let closing: Promise<readonly R[]> | undefined;
  return {
    rows: () => batches.reduce((sum, { rows }) => sum + rows.length, 0),
    tick,
    flush,
    close: () => (closing ??= close()),
  };
}

function withDeadline(deadlineMs: number, work: Promise<void>): Promise<void> {
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(deadline.resolve, deadlineMs);
  return Promise.race([work, deadline.promise]).finally(() => clearTimeout(timer));
}
