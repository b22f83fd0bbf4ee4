import { type PublishOptions, type Publisher, publishBlocks } from './publish-blocks.ts';
import type { ReaderTerm, ReaderTerms } from './reader-terms.ts';
import type { SharedBlocks } from './shared-blocks.ts';

export type CandidateOptions = Omit<
  PublishOptions,
  'blocks' | 'term' | 'onAsked' | 'onProgress' | 'onFork'
> & {
  readonly network: string;
  readonly terms: ReaderTerms;
  readonly blocks: SharedBlocks;
  /** True while this process has blocks of its own nodes that the common reader delivers too late: it may take over. */
  readonly isAhead: () => boolean;
  /** Called when this process begins to read for all, and when it no longer does. */
  readonly onReader: (isReader: boolean) => void;
  /** A reader whose calls hang or fail for this time leaves the term to another process. Default 5,000 ms. */
  readonly failingMs?: number | undefined;
  /** A late reader keeps its term for at least this time. Default 30,000 ms. */
  readonly leastTermMs?: number | undefined;
};

/** A process that reads a ledger for all gateways as soon as no other does. */
export type Candidate = {
  /** Ends its term, so that another process follows at once. */
  readonly stop: () => Promise<void>;
};

/** A term is renewed this often: three times before it ends. */
const RENEW_MS = 1_000;
const FAILING_MS = 5_000;
/** A process that has left a term does not try again for this time. */
const REST_MS = 10_000;
const LEAST_TERM_MS = 30_000;

/** Tries to get the term of a network, and reads the ledger for all while it lasts. */
export function runForReader(options: CandidateOptions): Candidate {
  const { network, terms, blocks, onReader } = options;
  const failures = createFailureSpan(options.failingMs ?? FAILING_MS);
  let term: ReaderTerm | undefined;
  let publisher: Publisher | undefined;
  let isForked = false;
  const patience = createPatience(options.leastTermMs ?? LEAST_TERM_MS);
  let restsUntilMs = 0;
  let isStopped = false;

  const publish = (): Publisher => {
    const beginsAnew = isForked;
    isForked = false;
    return publishBlocks({
      ...options,
      reachSlots: () => (beginsAnew ? -1 : options.reachSlots()),
      term: () => term ?? { number: 0, untilMs: 0 },
      onAsked: failures.note,
      onProgress: failures.end,
      onFork: () => {
        isForked = true;
      },
    });
  };
  const drop = (): void => {
    publisher?.stop();
    if (term !== undefined) onReader(false);
    publisher = term = undefined;
    failures.end();
  };
  const leave = async (): Promise<void> => {
    const left = term;
    drop();
    if (left !== undefined) await terms.leave(network, left.number);
  };
  const mayRead = (): boolean => {
    if (failures.isLong()) restsUntilMs = performance.now() + REST_MS;
    return !isStopped && blocks.isUp() && performance.now() >= restsUntilMs;
  };
  const step = async (): Promise<void> => {
    if (!mayRead()) return await leave();
    const takesOver = term === undefined && options.isAhead();
    const held = await terms.hold(network, takesOver ? patience.ms() : undefined);
    if (held?.number !== term?.number) drop();
    if (held !== undefined && takesOver) patience.grow();
    if (held === undefined) return;
    if (term === undefined) onReader(true);
    term = held;
    if (isStopped) return;
    if (publisher === undefined || publisher.hasEnded()) publisher = publish();
  };
  let timer: NodeJS.Timeout | undefined;
  let stepping: Promise<void> = Promise.resolve();
  const run = (): void => {
    stepping = step()
      .catch(() => {
        // The store reports its own failure elsewhere. The term is over if it was not renewed in time.
        if (term !== undefined && performance.now() >= term.untilMs) drop();
      })
      .finally(() => {
        if (!isStopped) timer = setTimeout(run, RENEW_MS).unref();
      });
  };
  run();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      publisher?.stop();
      await stepping;
      await leave().catch(ignore);
    },
  };
}

const ignore = (): void => undefined;

/** A time in which calls failed or hung, and nothing succeeded. */
type FailureSpan = {
  /** Call it when a call begins or fails. */
  readonly note: () => void;
  /** Call it when something succeeds. */
  readonly end: () => void;
  /** True when the span has lasted for `spanMs`. */
  readonly isLong: () => boolean;
};

/** Measures from the first call after the last success, so that hanging calls count like failed ones. */
function createFailureSpan(spanMs: number): FailureSpan {
  let sinceMs: number | undefined;
  return {
    note: () => {
      sinceMs ??= performance.now();
    },
    end: () => {
      sinceMs = undefined;
    },
    isLong: () => sinceMs !== undefined && performance.now() - sinceMs >= spanMs,
  };
}

/** The time for which a late reader keeps its term. */
type Patience = {
  readonly ms: () => number;
  /** Call it when a term was taken over. */
  readonly grow: () => void;
};

/** It doubles with each takeover, up to this multiple of the first value. */
const MOST = 16;
/** It resets after this many times its length without a takeover. */
const CALM = 10;

/** Creates the patience of one process, so that nodes that lag in turn do not keep taking over from each other. */
export function createPatience(leastMs: number, nowMs: () => number = () => performance.now()): Patience {
  let grownMs = leastMs;
  let grownAtMs = Number.NEGATIVE_INFINITY;
  const ms = (): number => (nowMs() - grownAtMs > CALM * grownMs ? leastMs : grownMs);
  return {
    ms,
    grow: () => {
      grownMs = Math.min(2 * ms(), MOST * leastMs);
      grownAtMs = nowMs();
    },
  };
}
