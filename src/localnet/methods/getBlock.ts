import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { commitmentOf } from '../blocks/commitment.ts';
import { encodeBlock } from '../encode/block.ts';
import { findBlock } from '../blocks/find-block.ts';
import type { Ledger } from '../ledger.ts';

export const getBlock: LedgerHandler<Ledger, 'getBlock'> = (ledger, slot, encodingOrConfig) => {
  const config =
    typeof encodingOrConfig === 'string' ? { encoding: encodingOrConfig } : (encodingOrConfig ?? {});
  return encodeBlock(findBlock(ledger, BigInt(slot), ledger.slotAt(commitmentOf(config))), config);
};
