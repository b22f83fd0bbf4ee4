import type { Entry } from './entry.ts';

/** Blocks kept outside of this process, for streams that resume. Both functions reject while it is unknown whether they are kept. */
export type KeptBlocks = {
  /** Every block after this slot is kept; undefined: none is. */
  readonly base: () => Promise<bigint | undefined>;
  /** Returns the next block after a slot; undefined if it is not kept. */
  readonly after: (slot: bigint) => Promise<Entry | undefined>;
};

/** Returns the larger one. */
export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Returns the smaller one. */
export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
