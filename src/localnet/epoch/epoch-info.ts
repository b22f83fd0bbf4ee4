import type { EpochInfo } from '../../../generated/ledger/types.ts';
import type { Ledger } from '../ledger.ts';

/** Returns the epoch of a slot that has a block or is open. */
export function epochInfo({ blocks, epochs }: Ledger, slot: bigint): EpochInfo {
  const epoch = epochs.epochOf(slot);
  return {
    epoch,
    slotIndex: epochs.slotIndex(slot),
    slotsInEpoch: epochs.slotsIn(epoch),
    absoluteSlot: slot,
    blockHeight: blocks.height(slot),
    transactionCount: BigInt(blocks.transactionCount(slot)),
  };
}
