import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';

export const getSlot: LedgerHandler<Ledger, 'getSlot'> = (ledger, config) => viewBank(ledger, config).slot;
