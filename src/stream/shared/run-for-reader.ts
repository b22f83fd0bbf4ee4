import { createFailureSpan } from './failure-span.ts';
import { createPatience } from './patience.ts';
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
  /** True while this process has read blocks of its own nodes for which the reader for all is too late: it may take the reading over. */
  readonly isAhead: () => boolean;
  /** Called when this process begins to read for all, and when it no longer does. */
  readonly onReader: (isReader: boolean) => void;
  /** Who asks for blocks in vain for this time, without an answer or with failures, leaves the term to another process. Default 5,000 ms. */
  readonly failingMs?: number | undefined;
  /** A reader that is too late has its term for this time at least. Default 30,000 ms. */
  readonly leastTermMs?: number | undefined;
};

/** A process that reads a ledger for all as soon as no other one does. */
export type Candidate = {
  /** Ends its term, so that another process follows at once. */
  readonly stop: () => Promise<void>;
};

/** A term is renewed this often: three times before it ends. */
const RENEW_MS = 1_000;
const FAILING_MS = 5_000;
/** Who has left it does not try to get it for this time. */
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
        // The store says elsewhere that it does not answer. The term is over when it was not renewed in time.
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
