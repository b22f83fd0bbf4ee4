import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { type CountCall, type CountedRow, UsageBook } from './usage-book.ts';

/** Stores a batch of counts, all of it or nothing. `number` grows by one from batch to batch; a batch sent again is not added again. */
export type WriteCounts = (number: number, rows: readonly CountedRow[]) => Promise<void>;

export type MeterOptions = {
  readonly write: WriteCounts;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with the number of messages whose counts are lost: there was no room, or the store could not be reached at the end. */
  readonly onLost: (messages: number) => void;
  /** Most rows in memory, including those that the store has not accepted yet. Default 100,000: about 15 MB. */
  readonly maxRows?: number;
  /** Interval between stores. Default 5,000 ms. */
  readonly intervalMs?: number;
};

export type Meter = {
  readonly count: CountCall;
  /** Returns the number of rows in memory that are not stored yet. */
  readonly unwritten: () => number;
  /** Stores everything counted so far. Rejects with the store's error; nothing is lost by that. */
  readonly flush: () => Promise<void>;
  /** Stores what is left, within 5 s, and logs what could not be stored. Never rejects; may be called twice. */
  readonly close: () => Promise<void>;
};

const INTERVAL_MS = 5_000;
const MAX_ROWS = 100_000;
const BATCH_ROWS = 10_000;
/** A book with this many rows is stored early. */
const EARLY_ROWS = 20_000;
const CLOSE_DEADLINE_MS = 5_000;

/**
 * Counts in memory and stores in batches. While the store fails, batches wait and are sent again with their numbers: nothing is
 * lost or added twice until `maxRows` are waiting. A killed process loses its counts since the last interval.
 */
export function createMeter(options: MeterOptions): Meter {
  const { clock, onLost, maxRows = MAX_ROWS, intervalMs = INTERVAL_MS } = options;
  const queue = createQueue(options);
  let hasLost = false;
  const lose = (messages: number): void => {
    onLost(messages);
    if (!hasLost) options.log.error({ maxRows }, 'calls are not counted: too many counts wait for the store');
    hasLost = true;
  };
  const unwritten = (): number => queue.rows() + book.size;
  const book = new UsageBook({ hasRoom: () => unwritten() < maxRows, onLost: lose });

  let last: Promise<void> = Promise.resolve();
  let isBusy = false;
  const store = async (): Promise<void> => {
    isBusy = true;
    try {
      await queue.write();
      queue.add(book.take());
      await queue.write();
      hasLost = false;
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
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await withDeadline(CLOSE_DEADLINE_MS, flush()).catch(() => undefined);
    queue.add(book.take());
    queue.abandon();
  };
  let closing: Promise<void> | undefined;
  return {
    count: (message) => {
      book.count(clock.nowMs(), message);
      if (book.size === EARLY_ROWS) tick();
    },
    unwritten,
    flush,
    close: () => (closing ??= close()),
  };
}

type Batch = { readonly number: number; readonly rows: readonly CountedRow[] };

/** Creates the queue of batches that wait for the store, in order. A failure is logged when it begins and when it is over. */
function createQueue({ write, log, onLost }: Pick<MeterOptions, 'write' | 'log' | 'onLost'>) {
  const batches: Batch[] = [];
  let lastNumber = 0;
  let isFailing = false;
  const rows = (): number => batches.reduce((sum, batch) => sum + batch.rows.length, 0);
  return {
    rows,
    add: (added: readonly CountedRow[]): void => {
      for (let start = 0; start < added.length; start += BATCH_ROWS) {
        batches.push({ number: ++lastNumber, rows: added.slice(start, start + BATCH_ROWS) });
      }
    },
    /** Rejects at the first batch that the store refuses; that batch stays first. */
    write: async (): Promise<void> => {
      for (let batch = batches[0]; batch !== undefined; batch = batches[0]) {
        try {
          await write(batch.number, batch.rows);
        } catch (error) {
          if (!isFailing)
            log.error({ reason: reasonOf(error) }, 'usage cannot be stored; it is kept and will be retried');
          isFailing = true;
          throw error;
        }
        batches.shift();
        if (isFailing) log.info('usage is stored again');
        isFailing = false;
      }
    },
    /** Drops the waiting batches. */
    abandon: (): void => {
      const lost = batches.splice(0).flatMap((batch) => batch.rows);
      const messages = lost.reduce((sum, { calls, refused }) => sum + calls + refused, 0);
      if (messages === 0) return;
      log.error({ messages }, 'the counts of these messages are lost: the store did not accept them in time');
      onLost(messages);
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function withDeadline(deadlineMs: number, work: Promise<void>): Promise<void> {
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(deadline.resolve, deadlineMs);
  return Promise.race([work, deadline.promise]).finally(() => clearTimeout(timer));
}
