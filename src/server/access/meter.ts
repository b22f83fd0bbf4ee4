import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import { createBatchWriter } from './batch-writer.ts';
import { MessageTallies, type OpenTally } from './message-tallies.ts';
import {
  type CountCall,
  type CountPushed,
  type CountedRow,
  UsageBook,
  outcomeOfError,
  servedOutcomeOf,
} from './usage-book.ts';
import type { Ledger } from '../../gateway/ledger/ledger.ts';
import { countRuns, isGivenUp } from './count-runs.ts';
import { weighMethod } from './weigh.ts';

/** Stores a batch of counts, all of it or nothing. `number` grows by one from batch to batch; a batch sent again is not added again. */
export type WriteCounts = (number: number, rows: readonly CountedRow[]) => Promise<void>;

export type MeterOptions = {
  readonly write: WriteCounts;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with the number of calls and pushed messages that are not counted: there was no room, or the store could not be reached at the end. */
  readonly onLost: (counts: number) => void;
  /** Maximum number of rows in memory, including those that the store has not accepted yet. Default 100,000: about 15 MB. */
  readonly maxRows?: number;
  /** Interval between stores. Default 5,000 ms. */
  readonly intervalMs?: number;
};

export type Meter = {
  readonly count: CountCall;
  readonly countPushed: CountPushed;
  /** Returns the served calls of a network that were counted since the start, of all keys. */
  readonly totals: (network: string) => ServedTotals;
  /** Opens the tally of a connection that is pushed messages. They are counted within a second, and by `flush` and `close`. */
  readonly openTally: OpenTally;
  /** Returns the number of rows in memory that are not stored yet. */
  readonly unwritten: () => number;
  /** Stores everything counted so far. Rejects with the store's error; nothing is lost by that. */
  readonly flush: () => Promise<void>;
  /** Stores the remaining rows, within 5 s, and logs those that could not be stored. Never rejects; may be called twice. */
  readonly close: () => Promise<void>;
};

export type ServedTotals = {
  readonly calls: number;
  /** Those that this server or a ledger node failed to answer. */
  readonly errors: number;
};

const INTERVAL_MS = 5_000;
const MAX_ROWS = 100_000;
const NONE: ServedTotals = { calls: 0, errors: 0 };
/** A book with this many rows is stored early. */
const EARLY_ROWS = 20_000;

/**
 * Counts in memory and stores in batches. While the store fails, batches wait and are sent again with their numbers: nothing is
 * lost or added twice until `maxRows` are waiting. A killed process loses its counts since the last interval.
 */
export function createMeter(options: MeterOptions): Meter {
  const { clock, log, onLost, maxRows = MAX_ROWS, intervalMs = INTERVAL_MS } = options;
  let hasLost = false;
  const lose = (counts: number): void => {
    onLost(counts);
    if (!hasLost)
      log.error(
        { maxRows },
        'usage of calls and messages is not counted: too many counts are waiting for the store',
      );
    hasLost = true;
  };
  const unwritten = (): number => writer.rows() + book.size;
  const book = new UsageBook({ hasRoom: () => unwritten() < maxRows, onLost: lose });
  const countPushed: CountPushed = (pushed) => {
    book.countPushed(clock.nowMs(), pushed);
    if (book.size === EARLY_ROWS) writer.tick();
  };
  const tallies = new MessageTallies(countPushed);
  const take = (): readonly CountedRow[] => {
    tallies.collect();
    return book.take();
  };
  const writer = createBatchWriter<CountedRow>({
    take,
    what: 'usage',
    intervalMs,
    log,
    write: async (number, rows) => {
      await options.write(number, rows);
      hasLost = false;
    },
  });
  const close = async (): Promise<void> => {
    tallies.close();
    const lost = await writer.close();
    const counts = lost.reduce((sum, { calls, refused, messages }) => sum + calls + refused + messages, 0);
    if (counts === 0) return;
    log.error({ counts }, 'usage of these calls and messages was lost: the store did not accept it in time');
    onLost(counts);
  };
  let closing: Promise<void> | undefined;
  const served = new Map<string, ServedTotals>();
  const totals = (network: string): ServedTotals => served.get(network) ?? NONE;
  return {
    totals,
    count: (message) => {
      const { network, outcome, calls: added = 1 } = message;
      if (outcome !== 'refused') {
        const { calls, errors } = totals(network);
        served.set(network, { calls: calls + added, errors: outcome === 'error' ? errors + added : errors });
      }
      book.count(clock.nowMs(), message);
      if (book.size === EARLY_ROWS) writer.tick();
    },
    countPushed,
    openTally: tallies.open,
    unwritten,
    flush: writer.flush,
    close: () => (closing ??= close()),
  };
}

export type MeteringOptions = { readonly network: string; readonly count: CountCall };

/** Counts every call of one network for the key that made it, in the minute in which its answer begins. */
export function withMetering(ledger: Ledger, { network, count }: MeteringOptions): Ledger {
  return {
    serve: async (call, context) => {
      const { method, weight } = weighMethod(call.method);
      try {
        const reply = await ledger.serve(call, context);
        count({ keyId: context.keyId, network, method, outcome: servedOutcomeOf(reply), weight });
        return reply;
      } catch (thrown) {
        const outcome = context.signal.aborted ? 'ok' : outcomeOfError(thrown);
        count({ keyId: context.keyId, network, method, outcome, weight });
        throw thrown;
      }
    },
    serveBatch: async (calls, context) => {
      const outcomes = await ledger.serveBatch(calls, context);
      const { reason } = context.signal;
      const runs = countRuns(calls, outcomes, (ended) =>
        isGivenUp(ended, reason) ? 'ok' : servedOutcomeOf(ended),
      );
      for (const run of runs) {
        const { method, weight } = weighMethod(run.method);
        const counted = { calls: run.calls, outcome: run.outcome, weight: run.calls * weight };
        count({ keyId: context.keyId, network, method, ...counted });
      }
      return outcomes;
    },
  };
}
