import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LIMITS } from '../../../generated/ledger/limits.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import { availableSlots } from '../blocks/find-block.ts';

const MAX_SPAN = BigInt(LIMITS.getBlocks.span);

export const getBlocks: LedgerHandler<Ledger, 'getBlocks'> = (ledger, startSlot, endOrConfig, trailing) => {
  const isConfig = typeof endOrConfig === 'object' && endOrConfig !== null;
  const { slot } = viewBank(ledger, isConfig ? endOrConfig : trailing);
  const start = BigInt(startSlot);
  const end =
    isConfig || endOrConfig === null || endOrConfig === undefined ? start + MAX_SPAN : BigInt(endOrConfig);
  return availableSlots(ledger, start, end, slot);
};
