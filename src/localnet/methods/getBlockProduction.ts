import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';

/** Number of slots in the slot history sysvar. */
const SLOT_HISTORY_SLOTS = 1_048_576n;

/** The one validator leads every slot and has produced every block; slots skipped by a warp have none. */
export const getBlockProduction: LedgerHandler<Ledger, 'getBlockProduction'> = (ledger, config) => {
  const { slot, context } = viewBank(ledger, { commitment: config?.commitment });
  const firstSlot = BigInt(config?.range?.firstSlot ?? ledger.epochs.firstSlot(ledger.epochs.epochOf(slot)));
  const lastSlot = BigInt(config?.range?.lastSlot ?? slot);
  assertRange(firstSlot, lastSlot, slot);
  const { address } = ledger.genesis.identity;
  const slots = lastSlot - firstSlot + 1n;
  const skipped = ledger.blocks.skipped.within(firstSlot, lastSlot);
  const produced = skipped.reduce((left, { first, end }) => left - (end - first), slots);
  const byIdentity: Record<string, readonly [bigint, bigint]> =
    (config?.identity ?? address) === address ? { [address]: [slots, produced] } : {};
  return { context, value: { byIdentity, range: { firstSlot, lastSlot } } };
};

function assertRange(firstSlot: bigint, lastSlot: bigint, slot: bigint): void {
  const oldest = slot >= SLOT_HISTORY_SLOTS ? slot - SLOT_HISTORY_SLOTS + 1n : 0n;
  if (lastSlot < firstSlot) throw serviceError('lastSlotBelowFirst', { firstSlot, lastSlot });
  if (firstSlot < oldest) throw serviceError('firstSlotTooSmall', { value: firstSlot, limit: oldest });
  if (lastSlot > slot) throw serviceError('lastSlotTooLarge', { value: lastSlot, limit: slot });
}
