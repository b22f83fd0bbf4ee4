import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import { epochOf, SLOTS_PER_EPOCH } from '../epoch/epoch.ts';
import { isScheduled } from '../validator/leaders.ts';
import type { Ledger } from '../ledger.ts';

/** The one validator leads every slot of an epoch. */
const ALL_SLOTS: readonly bigint[] = Array.from({ length: Number(SLOTS_PER_EPOCH) }, (_, index) =>
  BigInt(index),
);

export const getLeaderSchedule: LedgerHandler<Ledger, 'getLeaderSchedule'> = (
  ledger,
  slotOrConfig,
  trailing,
) => {
  const isConfig = typeof slotOrConfig === 'object' && slotOrConfig !== null;
  const config = isConfig ? slotOrConfig : trailing;
  const { slot } = viewBank(ledger, config);
  const epoch = epochOf(isConfig ? slot : BigInt(slotOrConfig ?? slot));
  if (!isScheduled(epoch, slot)) return null;
  const { address } = ledger.genesis.identity;
  return (config?.identity ?? address) === address ? { [address]: ALL_SLOTS } : {};
};
