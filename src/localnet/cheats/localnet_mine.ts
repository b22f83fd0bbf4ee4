import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { LIMITS } from '../../../generated/localnet/limits.ts';
import type { Ledger } from '../ledger.ts';
import { closeSlots } from '../time/warp.ts';
import { positionOf } from './position.ts';

export const localnetMine: LedgerHandler<Ledger, 'localnet_mine'> = async (ledger, blocks) => {
  await closeSlots(ledger, Number(blocks ?? LIMITS.localnet_mine['blocks.default']));
  return positionOf(ledger);
};
