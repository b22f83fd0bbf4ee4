/** How final the state must be that is read. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Slots between the open slot and the newest finalized one: a lockout of 31 votes, and the slot being built. */
export const FINALIZED_LAG = 32n;

/** The level that a request asks for; absent and unknown values mean finalized, as on a node. */
export function commitmentOf(config: { readonly commitment?: unknown } | null | undefined): Commitment {
  const level = config?.commitment;
  return level === 'processed' || level === 'confirmed' ? level : 'finalized';
}

/** The slot of the bank that a level selects while `openSlot` is being built. */
export function slotAtCommitment(openSlot: bigint, commitment: Commitment): bigint {
  switch (commitment) {
    case 'processed':
      return openSlot;
    case 'confirmed':
      return openSlot - 1n;
    case 'finalized':
      return openSlot - FINALIZED_LAG;
    default:
      return commitment satisfies never;
  }
}

/** The level that a slot has reached while `openSlot` is being built. */
export function commitmentOfSlot(openSlot: bigint, slot: bigint): Commitment {
  if (slot <= slotAtCommitment(openSlot, 'finalized')) return 'finalized';
  return slot <= slotAtCommitment(openSlot, 'confirmed') ? 'confirmed' : 'processed';
}
