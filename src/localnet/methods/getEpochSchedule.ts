import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';

export const getEpochSchedule: LedgerHandler<Ledger, 'getEpochSchedule'> = ({ epochs }) => epochs.lengths;
