import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { viewTokenAccounts } from '../accounts/token-view.ts';

export const getTokenAccountsByOwner: LedgerHandler<Ledger, 'getTokenAccountsByOwner'> = (
  ledger,
  address,
  filter,
  config,
) => viewTokenAccounts(ledger, { by: 'tokenOwners', address, filter, config });
