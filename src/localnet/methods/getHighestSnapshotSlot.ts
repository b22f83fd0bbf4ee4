import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../base/service-error.ts';
import type { Ledger } from '../ledger.ts';

/** The ledger lives in memory and makes no snapshots. */
export const getHighestSnapshotSlot: LedgerHandler<Ledger, 'getHighestSnapshotSlot'> = () => {
  throw serviceError('noSnapshot');
};
