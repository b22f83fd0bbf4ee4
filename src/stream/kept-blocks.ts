import type { Entry } from './entry.ts';

/** Blocks that are kept outside of this process, for streams that resume. Both reject while it is not known whether they are kept. */
export type KeptBlocks = {
  /** Every block after this slot is kept; undefined: none is. */
  readonly base: () => Promise<bigint | undefined>;
  /** Returns the next block after a slot; undefined if it is not kept. */
  readonly after: (slot: bigint) => Promise<Entry | undefined>;
};
