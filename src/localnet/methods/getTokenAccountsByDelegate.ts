import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { viewTokenAccounts } from '../accounts/token-view.ts';

export const getTokenAccountsByDelegate: LedgerHandler<Ledger, 'getTokenAccountsByDelegate'> = (
  ledger,
  address,
  filter,
  config,
) => viewTokenAccounts(ledger, { by: 'delegates', address, filter, config });
