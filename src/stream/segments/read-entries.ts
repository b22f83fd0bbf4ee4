import { setImmediate } from 'node:timers/promises';
import { Semaphore } from '../../rpc/semaphore.ts';
import { Entry } from '../entry.ts';
import { EntryCache } from '../entry-cache.ts';
import { readBlockReply } from '../ledger-node.ts';
import { unpackBlock } from '../shared/pack-block.ts';
import type { BlockRecord } from './block-record.ts';
import type { SegmentSet } from './segment-set.ts';
import { withinDeadline } from './within-deadline.ts';

export type EntryReaderOptions = {
  readonly set: Pick<SegmentSet, 'recordAfter'>;
  /** Most bytes of a block as the node answered it. */
  readonly maxBlockBytes: number;
};

/** Reads blocks for streams that resume. */
export type EntryReader = {
  /** Returns the block after a slot; undefined if it is not kept, or cannot be read. @throws as `withinDeadline`. */
  readonly after: (slot: bigint) => Promise<Entry | undefined>;
  /** Blocks that were read before may have changed. */
  readonly forget: () => void;
};

const PARALLEL_READS = 4;
/** While a stream is sent a block, so many after it are read and unpacked. */
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
      // Those who wait for a block read it again.
      atHand = new EntryCache();
    },
  };
}

/** Parses a block, after all else that waits for the main thread at this moment. */
async function parse({ link, finalizedSlot }: BlockRecord, reply: Buffer): Promise<Entry> {
  await setImmediate();
  return new Entry(readBlockReply(reply, { slot: link.slot, finalizedSlot }));
}
