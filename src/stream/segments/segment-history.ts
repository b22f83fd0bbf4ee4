import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Block } from '../block/block.ts';
import type { Entry } from '../entry.ts';
import type { BlockBytes } from './block-bytes.ts';
import { claimDirectory } from './claim-directory.ts';
import { findMissing, type MissingSources } from './find-missing.ts';
import { createEntryReader, type EntryReader } from './read-entries.ts';
import { SegmentSet } from './segment-set.ts';
import { SegmentWriter, type WritingState } from './segment-writer.ts';
import { withinDeadline } from './within-deadline.ts';

export type SegmentHistoryOptions = {
  /** Of one network. */
  readonly directory: string;
  readonly segmentBytes: number;
  readonly maxBlockBytes: number;
  readonly bytes: BlockBytes;
  readonly sources: MissingSources;
  /** Makes room for a segment. @throws Error where there is none. */
  readonly makeRoom: () => Promise<void>;
  readonly onState: (state: WritingState, reason: string) => void;
  readonly onDamage: (path: string, reason: string) => void;
  readonly retryMs?: number | undefined;
};

/** The older blocks of a network in files, for its hub. */
export type SegmentHistory = {
  /** A ledger is followed from now on; files of another one are left alone. */
  readonly follow: (genesis: string) => void;
  /** Keeps the next block of the chain that is followed. Returns at once. */
  readonly note: (block: Block) => void;
  /** The ledger is not followed any more. */
  readonly leave: () => void;
  /**
   * Returns the slot after which every block up to `from` is in files; `from` if the last of them is not.
   *
   * @throws ServiceError `upstreamUnavailable` while it is not known what is there.
   */
  readonly reach: (from: bigint) => Promise<bigint>;
  /** Returns the block after a slot; undefined if it is not in files. @throws as `reach`. */
  readonly after: (slot: bigint) => Promise<Entry | undefined>;
  readonly standing: () => SegmentStanding;
  /** Resolves when all that came before is written. */
  readonly settled: () => Promise<void>;
  /** Resolves when the files of a ledger that was left are not used any more. */
  readonly ended: () => Promise<void>;
};

export type SegmentStanding = {
  readonly state: WritingState;
  readonly bytes: number;
  readonly holes: number;
  /** Every block after this slot, up to the newest one in files, is there. Zero: there are none. */
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
    ...{ set, bytes, onState, retryMs },
    claim: async () => {
      await after;
      return await claimDirectory(directory);
    },
    findMissing: (...missing) => findMissing(sources, ...missing),
  });
  return { set, reader, writer };
}
