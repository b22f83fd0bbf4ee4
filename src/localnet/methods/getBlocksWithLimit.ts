import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import { availableSlots } from '../blocks/find-block.ts';

export const getBlocksWithLimit: LedgerHandler<Ledger, 'getBlocksWithLimit'> = (
  ledger,
  startSlot,
  limit,
  config,
) => {
  const { slot } = viewBank(ledger, config);
  return availableSlots(ledger, BigInt(startSlot), BigInt(startSlot) + BigInt(limit) - 1n, slot);
};
