/** How final the state must be that is read. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Where the chain stands: the slot being built, and how many slots a block is finalized after it is confirmed. */
export type ChainTip = { readonly openSlot: bigint; readonly finalitySlots: bigint };

/** The level that a request asks for; absent and unknown values mean finalized, as on a node. */
export function commitmentOf(config: { readonly commitment?: unknown } | null | undefined): Commitment {
  const level = config?.commitment;
  return level === 'processed' || level === 'confirmed' ? level : 'finalized';
}

/** The slot of the bank that a level selects. */
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

/** The level that a slot has reached. */
export function commitmentOfSlot(tip: ChainTip, slot: bigint): Commitment {
  if (slot <= slotAtCommitment(tip, 'finalized')) return 'finalized';
  return slot <= slotAtCommitment(tip, 'confirmed') ? 'confirmed' : 'processed';
}
