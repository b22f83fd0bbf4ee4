import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';

export const getTransactionCount: LedgerHandler<Ledger, 'getTransactionCount'> = (ledger, config) =>
  BigInt(ledger.blocks.transactionCount(viewBank(ledger, config).slot));
