import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LIMITS } from '../../../generated/ledger/limits.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import { nonCirculating } from '../accounts/supply.ts';

const MAX_ACCOUNTS = LIMITS.getLargestAccounts['result.value.maxItems'];

export const getLargestAccounts: LedgerHandler<Ledger, 'getLargestAccounts'> = (ledger, config) => {
  const { slot, context } = viewBank(ledger, config);
  const locked = nonCirculating(ledger, slot);
  const wanted = (address: string): boolean => {
    if (config?.filter === 'circulating') return !locked.has(address);
    return config?.filter === 'nonCirculating' ? locked.has(address) : true;
  };
  const balances = [];
  for (const { address, account } of ledger.accounts.all(slot)) {
    if (wanted(address)) balances.push({ address, lamports: account.lamports });
  }
  return { context, value: balances.sort((a, b) => Number(b.lamports - a.lamports)).slice(0, MAX_ACCOUNTS) };
};
