import type { Block } from '../block/block.ts';
import type { Tip } from '../next-blocks.ts';

/** A block that one gateway has read for all. */
export type SharedBlock = {
  readonly slot: bigint;
  readonly blockhash: string;
  /** The run of blocks that it belongs to: within one, each descends from the one before it. */
  readonly run: string;
  readonly finalizedSlot: bigint;
  /** @throws ServiceError `upstreamBroken` if it cannot be read, or was not written by a gateway of this installation. */
  readonly read: () => Promise<Block>;
};

/** The current state of the shared blocks of a network. */
export type SharedHead = {
  readonly run: string;
  readonly genesis: string;
  /** Every block after this slot is present. */
  readonly base: bigint;
  /** The newest slot. */
  readonly slot: bigint;
};

export type Claim = {
  readonly term: number;
  readonly genesis: string;
  readonly newestSlot: bigint;
  /** The blocks start over if their end is further behind the newest slot; below zero: always. */
  readonly reachSlots: number;
};

export type Append = { readonly term: number; readonly block: Block; readonly reply: Buffer };

/** The blocks of one network that gateways share. All but `isUp` reject while they are lost. */
export type SharedBlocks = {
  readonly isUp: () => boolean;
  /** Undefined while no blocks are shared. */
  readonly head: () => Promise<SharedHead | undefined>;
  /** Begins a term, in which only the caller can append. @returns the end of the blocks; undefined if a later term has begun. */
  readonly claim: (claim: Claim) => Promise<Tip | undefined>;
  /** Appends a block. `term`: another term has begun; `chain`: it does not follow the newest block. */
  readonly append: (append: Append) => Promise<'taken' | 'term' | 'chain'>;
  /** Returns the first block after a slot. */
  readonly firstAfter: (slot: bigint) => Promise<SharedBlock | undefined>;
  readonly openReader: () => SharedReader;
};

/** Waits for new blocks, on a connection of its own. */
export type SharedReader = {
  readonly isUp: () => boolean;
  /** Returns the next blocks after a slot; empty if none arrive within `waitMs`. */
  readonly read: (slot: bigint, waitMs: number) => Promise<readonly SharedBlock[]>;
  readonly close: () => Promise<void>;
};
