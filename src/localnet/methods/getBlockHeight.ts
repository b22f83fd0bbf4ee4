import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';

export const getBlockHeight: LedgerHandler<Ledger, 'getBlockHeight'> = (ledger, config) =>
  ledger.blocks.height(viewBank(ledger, config).slot);
