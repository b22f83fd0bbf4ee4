import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import { epochOf, SLOTS_PER_EPOCH, slotIndexInEpoch } from '../epoch/epoch.ts';
import type { Ledger } from '../ledger.ts';

export const getEpochInfo: LedgerHandler<Ledger, 'getEpochInfo'> = (ledger, config) => {
  const { slot } = viewBank(ledger, config);
  return {
    epoch: epochOf(slot),
    slotIndex: slotIndexInEpoch(slot),
    slotsInEpoch: SLOTS_PER_EPOCH,
    absoluteSlot: slot,
    blockHeight: slot,
    transactionCount: BigInt(ledger.blocks.transactionCount(slot)),
  };
};
