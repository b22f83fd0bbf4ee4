/** The commitment level of a read. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** The tip of the chain: the slot under construction, and the number of slots between a block's confirmation and finalization. */
export type ChainTip = { readonly openSlot: bigint; readonly finalitySlots: bigint };

/** Returns the requested level; absent and unknown values mean finalized, as on a node. */
export function commitmentOf(config: { readonly commitment?: unknown } | null | undefined): Commitment {
  const level = config?.commitment;
  return level === 'processed' || level === 'confirmed' ? level : 'finalized';
}

/** Returns the slot of the bank at a level. */
export function slotAtCommitment({ openSlot, finalitySlots }: ChainTip, commitment: Commitment): bigint {
  switch (commitment) {
    case 'processed':
      return openSlot;
    case 'confirmed':
      return openSlot - 1n;
    case 'finalized':
      return openSlot - 1n - finalitySlots;
    default:
      return commitment satisfies never;
  }
}

/** Returns the level that a slot has reached. */
export function commitmentOfSlot(tip: ChainTip, slot: bigint): Commitment {
  if (slot <= slotAtCommitment(tip, 'finalized')) return 'finalized';
  return slot <= slotAtCommitment(tip, 'confirmed') ? 'confirmed' : 'processed';
}
