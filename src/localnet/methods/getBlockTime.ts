import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { findBlock } from '../blocks/find-block.ts';
import type { Ledger } from '../ledger.ts';

/** The open slot has a time, too: that of its clock. */
export const getBlockTime: LedgerHandler<Ledger, 'getBlockTime'> = (ledger, slot) => {
  const { blocks } = ledger;
  return BigInt(slot) === blocks.openSlot
    ? blocks.time(blocks.openSlot)
    : findBlock(ledger, BigInt(slot), blocks.openSlot).time;
};
