import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';

/** No slot is skipped, so the height is the slot. */
export const getBlockHeight: LedgerHandler<Ledger, 'getBlockHeight'> = (ledger, config) =>
  viewBank(ledger, config).slot;
