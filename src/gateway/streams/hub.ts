import { ServiceError, serviceError } from '../../core/service-error.ts';
import { Semaphore } from '../../core/rpc/semaphore.ts';
import { Cursor, History, type HistoryLimits } from './cursor.ts';
import { Entry } from './entry.ts';
import { type Feed, type FeedOptions, fromNode, openFeed, type OpenFeed } from './feed.ts';
import { type KeptBlocks, max, min } from './kept-blocks.ts';
import { type LedgerNode, NodeRefusal } from './ledger-node.ts';
import { chainTo } from './next-blocks.ts';
import type { SegmentHistory } from './segments/segment-history.ts';
import type { StreamPace } from './stream-pace.ts';

export type HubOptions = Pick<FeedOptions, 'node' | 'generation' | 'onFailure'> & {
  readonly history: HistoryLimits;
  readonly pace: StreamPace;
  /** Time for which the ledger is still followed after the last stream ends. */
  readonly lingerMs: number;
  /** The source of blocks, if it is not the node alone. */
  readonly shared?: { readonly openFeed: OpenFeed; readonly kept: KeptBlocks } | undefined;
  /** Older blocks in files. */
  readonly segments?: SegmentHistory | undefined;
};

/** The streams of one network. */
export type Hub = {
  /**
   * Opens a cursor after a slot, or after the newest one. The first cursor starts following the ledger.
   *
   * @param mayRefill called before each block that is read again from the ledger node for this cursor; its error ends the stream.
   * @throws ServiceError `resumeSlotAhead`, `resumeSlotGone`, or the failure of the ledger node.
   */
  readonly open: (resumeSlot: bigint | undefined, mayRefill?: MayRefill) => Promise<Cursor>;
  /** The cost of streams, for metrics. */
  readonly standing: () => { readonly streams: number; readonly slots: number; readonly sizeBytes: number };
  /** Stops following the ledger; open streams fail with `streamStopping`. */
  readonly close: () => void;
};

/** Resolves when a block may be read again. */
export type MayRefill = () => Promise<void>;

/** Number of blocks read again at the same time, for streams that resume. */
const PARALLEL_REFILLS = 4;

type Following = { readonly feed: Feed; readonly history: History };

/** Creates the hub of a network. Its streams share one feed, which runs only while there are any, and one history. */
export function createHub(options: HubOptions): Hub {
  const cursors = new Set<Cursor>();
  const refills = new Semaphore(PARALLEL_REFILLS);
  let following: Promise<Following> | undefined;
  let current: Following | undefined;
  let lingering: NodeJS.Timeout | undefined;
  /** Streams that are open or about to be. */
  let users = 0;
  let isClosed = false;

  const stop = (): void => {
    clearTimeout(lingering);
    current?.feed.stop();
    if (current !== undefined) options.segments?.leave();
    current = following = undefined;
  };
  const follow = async (): Promise<Following> => {
    const open = options.shared?.openFeed ?? openFeed;
    const feed = await open({
      ...options,
      pollMs: options.pace.pollMs,
      onBlock: (block) => {
        history.add(block);
        options.segments?.note(block);
        for (const cursor of cursors) cursor.notice();
      },
      onChanged: (error) => {
        stop();
        for (const cursor of cursors) cursor.fail(error);
      },
    });
    const history = new History(feed.startSlot, options.history);
    return { feed, history };
  };
  const start = (): Promise<Following> => {
    if (following !== undefined) return following;
    const starting = follow();
    following = starting;
    starting.then(
      (started) => {
        if (following !== starting || isClosed) return;
        current = started;
        options.segments?.follow(started.feed.genesis);
        started.feed.run();
      },
      () => {
        if (following === starting) following = undefined;
      },
    );
    return starting;
  };
  const take = (): void => {
    users++;
    clearTimeout(lingering);
  };
  const release = (): void => {
    if (--users === 0 && !isClosed) lingering = setTimeout(stop, options.lingerMs).unref();
  };
  const openCursor = async (resumeSlot: bigint | undefined, mayRefill: MayRefill): Promise<Cursor> => {
    const { history } = await start();
    if (resumeSlot !== undefined) await assertHeld(options, history, resumeSlot);
    if (isClosed) throw serviceError('streamStopping', { slot: resumeSlot ?? history.newest });
    if (current?.history !== history) return await openCursor(resumeSlot, mayRefill);
    const { maxLagSlots, maxAheadSlots } = options.pace;
    const cursor: Cursor = new Cursor({
      history,
      maxLagSlots,
      maxAheadSlots,
      position: resumeSlot ?? history.newest,
      refill: (position) =>
        unlessKept(
          () => options.segments?.after(position),
          () =>
            unlessKept(
              () => options.shared?.kept.after(position),
              async () => {
                await mayRefill();
                return await refills.withPermit(() => refill(options.node, position));
              },
            ),
        ),
      onClose: () => {
        cursors.delete(cursor);
        release();
      },
    });
    cursors.add(cursor);
    return cursor;
  };
  return {
    open: async (resumeSlot, mayRefill = async () => undefined) => {
      take();
      try {
        return await openCursor(resumeSlot, mayRefill);
      } catch (error) {
        release();
        throw error;
      }
    },
    standing: () => ({
      streams: cursors.size,
      slots: current?.history.countAfter(current.history.base) ?? 0,
      sizeBytes: current?.history.sizeBytes ?? 0,
    }),
    close: () => {
      isClosed = true;
      stop();
      for (const cursor of cursors) cursor.fail(serviceError('streamStopping', { slot: cursor.position }));
    },
  };
}

/** Asserts that everything after a slot is still available, from memory, from the other gateways and from the node combined. */
async function assertHeld(options: HubOptions, { base, newest }: History, slot: bigint): Promise<void> {
  if (Number(slot - newest) > options.pace.maxAheadSlots())
    throw serviceError('resumeSlotAhead', { slot, newestSlot: newest });
  if (slot >= base) return;
  let keptBase = base;
  let loss: unknown;
  /** The slot after which every block up to `from` is known to be in files; `from` if none is. */
  const inFiles = async (from: bigint): Promise<bigint> => {
    const noteLoss = (error: unknown): bigint => {
      loss = error;
      return from;
    };
    return (await options.segments?.reach(from).catch(noteLoss)) ?? from;
  };
  await unlessKept(
    async () => {
      keptBase = await inFiles(base);
      if (slot >= keptBase) return true;
      keptBase = await inFiles(min(keptBase, (await options.shared?.kept.base()) ?? keptBase));
      if (slot >= keptBase) return true;
      if (loss !== undefined) throw loss;
      return undefined;
    },
    async () => {
      const resumable = options.pace.maxResumeSlots();
      const reached = Number.isFinite(resumable) ? newest - BigInt(resumable) : 0n;
      const ofNode = max(reached, await oldestAt(options.node));
      const oldestSlot = await inFiles(min(ofNode, keptBase));
      if (slot < oldestSlot) throw loss ?? serviceError('resumeSlotGone', { slot, oldestSlot });
      return true;
    },
  );
}

/**
 * Returns the kept block, else the node's. A block that neither has is gone only if it is certain that it is not kept.
 *
 * @throws ServiceError `upstreamUnavailable` if it may be kept: try again.
 */
async function unlessKept<T>(
  readKept: () => Promise<T | undefined> | undefined,
  readNode: () => Promise<T>,
): Promise<T> {
  let loss: unknown;
  try {
    const kept = await readKept();
    if (kept !== undefined) return kept;
  } catch (error) {
    loss = error ?? new Error('kept blocks are unavailable');
  }
  try {
    return await readNode();
  } catch (error) {
    if (loss === undefined || !(error instanceof ServiceError) || error.code !== 'resumeSlotGone')
      throw error;
    throw serviceError('upstreamUnavailable', {}, loss);
  }
}

/** Reads the block after a slot from the node again. */
async function refill(node: LedgerNode, position: bigint): Promise<Entry> {
  try {
    const [slot] = await node.slotsFrom(position + 1n, 1);
    if (slot === undefined) throw serviceError('upstreamBroken', {}, new Error('a block is missing'));
    const finalizedSlot = await node.finalizedSlot();
    const block = await node.block(slot, finalizedSlot);
    const [next] = await chainTo(node, { slot: position, blockhash: undefined }, block, finalizedSlot);
    return new Entry(next ?? block);
  } catch (error) {
    if (!isGone(error)) throw fromNode(error);
    throw serviceError('resumeSlotGone', { slot: position, oldestSlot: await oldestAt(node) });
  }
}

/** True when the next block, or one before it, will never be available again. */
function isGone(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'ledgerChanged';
  return error instanceof NodeRefusal && error.isFinal;
}

/** Returns the oldest slot after which the node has every block. */
async function oldestAt(node: LedgerNode): Promise<bigint> {
  try {
    const first = await node.firstAvailableSlot();
    return first === 0n ? 0n : first - 1n;
  } catch (error) {
    throw fromNode(error);
  }
}
