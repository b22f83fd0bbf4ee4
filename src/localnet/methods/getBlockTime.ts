import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { findBlock } from '../blocks/find-block.ts';
import type { Ledger } from '../ledger.ts';

/** The open slot also has a time: that of its clock. Genesis keeps its time when its block is dropped. */
export const getBlockTime: LedgerHandler<Ledger, 'getBlockTime'> = (ledger, number) => {
  const { blocks, genesis } = ledger;
  const slot = BigInt(number);
  if (slot === 0n) return genesis.time;
  return slot === blocks.openSlot ? blocks.time(slot) : findBlock(ledger, slot, blocks.openSlot).time;
};
