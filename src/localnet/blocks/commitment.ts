import type { BlockHistory } from './block-history.ts';

/** The commitment level of a read. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** The chain, and the number of blocks between a block's confirmation and finalization. */
export type ChainTip = {
  readonly blocks: Pick<BlockHistory, 'openSlot' | 'ancestor'>;
  readonly finalitySlots: bigint;
};

/** Returns the requested level; absent and unknown values mean finalized, as on a node. */
export function commitmentOf(config: { readonly commitment?: unknown } | null | undefined): Commitment {
  const level = config?.commitment;
  return level === 'processed' || level === 'confirmed' ? level : 'finalized';
}

/** Returns the slot of the bank at a level. */
export function slotAtCommitment({ blocks, finalitySlots }: ChainTip, commitment: Commitment): bigint {
  switch (commitment) {
    case 'processed':
      return blocks.openSlot;
    case 'confirmed':
      return blocks.ancestor(blocks.openSlot, 1n);
    case 'finalized':
      return blocks.ancestor(blocks.openSlot, finalitySlots + 1n);
    default:
      return commitment satisfies never;
  }
}

/** Returns the level that a slot has reached. */
export function commitmentOfSlot(tip: ChainTip, slot: bigint): Commitment {
  if (slot <= slotAtCommitment(tip, 'finalized')) return 'finalized';
  return slot <= slotAtCommitment(tip, 'confirmed') ? 'confirmed' : 'processed';
}
