import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import { epochInfo } from '../epoch/epoch-info.ts';
import type { Ledger } from '../ledger.ts';

export const getEpochInfo: LedgerHandler<Ledger, 'getEpochInfo'> = (ledger, config) =>
  epochInfo(ledger, viewBank(ledger, config).slot);
