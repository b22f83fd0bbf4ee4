import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewAccounts } from '../accounts/account-view.ts';
import { assertFilter } from '../accounts/memcmp-filter.ts';
import { sortByAddress } from '../accounts/sort-by-address.ts';
import { viewBank } from '../bank/bank-view.ts';
import { compileFilter } from '../encode/account-filter.ts';
import type { Ledger } from '../ledger.ts';

export const getProgramAccounts: LedgerHandler<Ledger, 'getProgramAccounts'> = (ledger, program, config) => {
  const { slot, context } = viewBank(ledger, config);
  const filters = config?.filters ?? [];
  filters.forEach(assertFilter);
  const matches = filters.map(compileFilter);
  const found = ledger.accounts
    .ownedBy(program, slot)
    .filter(({ account }) => matches.every((match) => match(account.data)));
  const listed = config?.sortResults === false ? found : sortByAddress(found);
  const value = viewAccounts(ledger, listed, { ...config, slot, defaultEncoding: 'binary' });
  return config?.withContext === true ? { context, value } : value;
};
