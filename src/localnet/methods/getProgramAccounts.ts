import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { isParsed, viewAccounts } from '../accounts/account-view.ts';
import { viewBank } from '../bank/bank-view.ts';
import { accountMatches } from '../encode/account-filter.ts';
import { decodeBase58 } from '../bytes/base58.ts';
import type { Ledger } from '../ledger.ts';
import { assertFilter } from '../accounts/memcmp-filter.ts';
import { isTokenProgram } from '../addresses/runtime-ids.ts';

export const getProgramAccounts: LedgerHandler<Ledger, 'getProgramAccounts'> = (ledger, program, config) => {
  const { slot, context } = viewBank(ledger, config);
  const filters = config?.filters ?? [];
  filters.forEach(assertFilter);
  const found = ledger.accounts
    .ownedBy(program, slot)
    .filter(({ account }) => filters.every((filter) => accountMatches(filter, account.data)));
  const sorted =
    config?.sortResults === false ? found : found.toSorted((a, b) => compareBytes(a.address, b.address));
  const encoded = viewAccounts(ledger, sorted, { ...config, slot, defaultEncoding: 'binary' });
  const onlyParsed = config?.encoding === 'jsonParsed' && isTokenProgram(program);
  const value = onlyParsed ? encoded.filter(({ account }) => isParsed(account)) : encoded;
  return config?.withContext === true ? { context, value } : value;
};

/** Base-58 text does not sort like the bytes of the address, which is the order of a node. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(decodeBase58(a), decodeBase58(b));
}
