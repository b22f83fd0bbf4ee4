import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';

/** A ledger on disk writes full snapshots of its accounts. One of a slot that is not finalized yet does not count. */
export const getHighestSnapshotSlot: LedgerHandler<Ledger, 'getHighestSnapshotSlot'> = (ledger) => {
  const finalized = ledger.slotAt('finalized');
  const full = ledger.keeper?.snapshotSlots().find((slot) => slot <= finalized);
  if (full === undefined) throw serviceError('noSnapshot');
  return { full, incremental: null };
};
