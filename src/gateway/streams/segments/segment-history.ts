import { hash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout, setImmediate } from 'node:timers/promises';
import type { Block } from '../block/block.ts';
import { Entry } from '../entry.ts';
import { type BlockBytes, SegmentWriter, type WritingState } from './segment-writer.ts';
import { claimDirectory } from './claim-directory.ts';
import { SegmentSet } from './segment-set.ts';
import { withinDeadline } from './within-deadline.ts';
import { ServiceError, serviceError } from '../../../core/service-error.ts';
import type { KeptBlocks } from '../kept-blocks.ts';
import { type LedgerNode, NodeRefusal, readBlockReply } from '../ledger-node.ts';
import { chainTo } from '../next-blocks.ts';
import type { StreamPace } from '../stream-pace.ts';
import type { Link, BlockRecord } from './block-record.ts';
import { Semaphore } from '../../../core/rpc/semaphore.ts';
import { EntryCache } from '../entry-cache.ts';
import { unpackBlock } from '../shared/pack-block.ts';

export type SegmentHistoryOptions = {
  /** Of one network. */
  readonly directory: string;
  readonly segmentBytes: number;
  readonly maxBlockBytes: number;
  readonly bytes: BlockBytes;
  readonly sources: MissingSources;
  /** Makes room for a segment. @throws Error if that is impossible. */
  readonly makeRoom: () => Promise<void>;
  readonly onState: (state: WritingState, reason: string) => void;
  readonly onDamage: (path: string, reason: string) => void;
  readonly retryMs?: number | undefined;
};

/** The older blocks of a network in files, for its hub. */
export type SegmentHistory = {
  /** Starts with a ledger; files of other ledgers are left alone. */
  readonly follow: (genesis: string) => void;
  /** Keeps the next block of the followed chain. Returns at once. */
  readonly note: (block: Block) => void;
  /** Stops following the ledger. */
  readonly leave: () => void;
  /**
   * Returns the slot after which every block up to `from` is in files; `from` if the last one is not.
   *
   * @throws ServiceError `upstreamUnavailable` while the content of the files is unknown.
   */
  readonly reach: (from: bigint) => Promise<bigint>;
  /** Returns the block after a slot; undefined if it is not in files. @throws as `reach`. */
  readonly after: (slot: bigint) => Promise<Entry | undefined>;
  readonly standing: () => SegmentStanding;
  /** Resolves when all earlier blocks are written. */
  readonly settled: () => Promise<void>;
  /** Resolves when the files of a ledger that was left are no longer in use. */
  readonly ended: () => Promise<void>;
};

export type SegmentStanding = {
  readonly state: WritingState;
  readonly bytes: number;
  readonly holes: number;
  /** Every block after this slot, up to the newest one in files, is present. Zero: no blocks. */
  readonly firstSlot: bigint;
};

type Following = { readonly set: SegmentSet; readonly reader: EntryReader; readonly writer: SegmentWriter };

const NOTHING: SegmentStanding = { state: 'idle', bytes: 0, holes: 0, firstSlot: 0n };
const NAME = /^[0-9A-Za-z]{1,64}$/;

/** Creates the history of a network. Nothing is opened before a ledger is followed. */
export function createSegmentHistory(options: SegmentHistoryOptions): SegmentHistory {
  let current: Following | undefined;
  let ended: Promise<void> = Promise.resolve();
  return {
    follow: (genesis) => {
      current = follow(options, genesis, ended);
    },
    note: (block) => {
      if (current === undefined) options.bytes.take(block);
      else current.writer.note(block);
    },
    leave: () => {
      if (current !== undefined) ended = current.writer.stop();
      current = undefined;
    },
    reach: async (from) => (current === undefined ? from : await withinDeadline(current.set.reach(from))),
    after: async (slot) => await current?.reader.after(slot),
    standing: () =>
      current === undefined ? NOTHING : { ...current.set.standing, state: current.writer.state },
    settled: async () => current?.writer.settled(),
    ended: () => ended,
  };
}

function follow(options: SegmentHistoryOptions, genesis: string, after: Promise<void>): Following {
  const name = NAME.test(genesis) ? genesis : hash('sha256', genesis);
  const directory = join(options.directory, name);
  const { segmentBytes, makeRoom, onDamage, bytes, sources, onState, maxBlockBytes, retryMs } = options;
  const onCut = (): void => reader.forget();
  const set = new SegmentSet({ directory, segmentBytes, makeRoom, onDamage, onCut });
  const reader = createEntryReader({ set, maxBlockBytes });
  const writer = new SegmentWriter({
    set,
    bytes,
    onState,
    retryMs,
    claim: async () => {
      await after;
      return await claimDirectory(directory);
    },
    findMissing: (...missing) => findMissing(sources, ...missing),
  });
  return { set, reader, writer };
}

/** The sources of blocks that are missing in files. */
export type MissingSources = {
  readonly node: LedgerNode;
  /** The shared blocks. */
  readonly kept: Pick<KeptBlocks, 'after'> | undefined;
  readonly pace: Pick<StreamPace, 'maxResumeSlots' | 'pollMs'>;
};

/** Larger holes are not read from a node, nor holes larger than the distance that a stream may resume from. */
export const MAX_NODE_SLOTS = 256;
/** The pause follows the pace of blocks: two polls make one slot. */
const POLLS_BETWEEN = 2;

/**
 * Finds the next blocks of a chain, at least one: shared ones, else a block of the node, after a pause of one slot.
 *
 * @param before the slot at which the missing blocks end.
 * @returns `fork`: the chain no longer has the block that they follow; `gone`: no source has them, or too many are missing.
 * @throws the errors of the node and of the shared blocks, and the abort of the pause: try again.
 */
async function findMissing(
  { node, kept, pace }: MissingSources,
  link: Link,
  before: bigint,
  signal: AbortSignal,
): Promise<readonly Block[] | 'fork' | 'gone'> {
  const shared = await kept?.after(link.slot);
  if (shared?.block.previousBlockhash === link.blockhash) return [shared.block];
  if (Number(before - link.slot) > Math.min(MAX_NODE_SLOTS, pace.maxResumeSlots())) return 'gone';
  await setTimeout(POLLS_BETWEEN * pace.pollMs(), undefined, { signal, ref: false });
  try {
    const [slot] = await node.slotsFrom(link.slot + 1n, 1);
    if (slot === undefined) throw serviceError('upstreamBroken', {}, new Error('a block is missing'));
    const finalizedSlot = await node.finalizedSlot();
    return await chainTo(node, link, await node.block(slot, finalizedSlot), finalizedSlot);
  } catch (error) {
    if (error instanceof NodeRefusal && error.isFinal) return 'gone';
    if (!(error instanceof ServiceError) || error.code !== 'ledgerChanged') throw error;
    return (await node.firstAvailableSlot()) > link.slot + 1n ? 'gone' : 'fork';
  }
}

type EntryReaderOptions = {
  readonly set: Pick<SegmentSet, 'recordAfter'>;
  /** Most bytes of a block in the node's reply. */
  readonly maxBlockBytes: number;
};

/** Reads blocks for streams that resume. */
type EntryReader = {
  /** Returns the block after a slot; undefined if it is not kept, or cannot be read. @throws as `withinDeadline`. */
  readonly after: (slot: bigint) => Promise<Entry | undefined>;
  /** Blocks that were read before may have changed. */
  readonly forget: () => void;
};

const PARALLEL_READS = 4;
/** The number of blocks that are read and unpacked ahead of the one being sent. */
const READ_AHEAD = 2;

/** Creates a reader with a bound on memory for all streams together. */
export function createEntryReader({ set, maxBlockBytes }: EntryReaderOptions): EntryReader {
  const reads = new Semaphore(PARALLEL_READS);
  const parses = new Semaphore(1);
  const read = async (slot: bigint): Promise<Entry | undefined> => {
    const record = await withinDeadline(set.recordAfter(slot));
    if (record === undefined) return undefined;
    try {
      const reply = await unpackBlock(record.packed, maxBlockBytes);
      return await parses.withPermit(() => parse(record, reply));
    } catch {
      return undefined;
    }
  };
  let atHand = new EntryCache<bigint>();
  const fetch = async (slot: bigint): Promise<Entry | undefined> => {
    const used = atHand;
    const found = await used.get(slot, () => reads.withPermit(() => read(slot)));
    return used === atHand ? found : await fetch(slot);
  };
  const readAhead = async (slot: bigint, count: number): Promise<void> => {
    const found = count > 0 ? await fetch(slot) : undefined;
    if (found !== undefined) await readAhead(found.slot, count - 1);
  };
  return {
    after: async (slot) => {
      const found = await fetch(slot);
      if (found !== undefined) readAhead(found.slot, READ_AHEAD).catch(() => undefined);
      return found;
    },
    forget: () => {
      // Requests that wait for a block read it again.
      atHand = new EntryCache();
    },
  };
}

/** Parses a block after yielding to other work on the main thread. */
async function parse({ link, finalizedSlot }: BlockRecord, reply: Buffer): Promise<Entry> {
  await setImmediate();
  return new Entry(readBlockReply(reply, { slot: link.slot, finalizedSlot }));
}
