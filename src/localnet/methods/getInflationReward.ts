import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import { epochOf, firstSlotOfEpoch } from '../epoch/epoch.ts';
import { findBlock } from '../blocks/find-block.ts';
import type { Ledger } from '../ledger.ts';

/** Rewards of an epoch are paid in the first block after it, and the ledger pays none. */
export const getInflationReward: LedgerHandler<Ledger, 'getInflationReward'> = (
  ledger,
  addresses,
  config,
) => {
  const { slot } = viewBank(ledger, config);
  const current = epochOf(slot);
  const epoch = BigInt(config?.epoch ?? (current === 0n ? 0n : current - 1n));
  findBlock(ledger, firstSlotOfEpoch(epoch + 1n), slot);
  return addresses.map(() => null);
};
