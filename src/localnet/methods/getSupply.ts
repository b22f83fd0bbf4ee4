import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import { nonCirculating as lockedAccounts } from '../accounts/supply.ts';

export const getSupply: LedgerHandler<Ledger, 'getSupply'> = (ledger, config) => {
  const { slot, context } = viewBank(ledger, config);
  let total = 0n;
  for (const { account } of ledger.accounts.all(slot)) total += account.lamports;
  const locked = lockedAccounts(ledger, slot);
  const nonCirculating = [...locked.values()].reduce((sum, lamports) => sum + lamports, 0n);
  const nonCirculatingAccounts = config?.excludeNonCirculatingAccountsList === true ? [] : [...locked.keys()];
  return {
    context,
    value: { total, circulating: total - nonCirculating, nonCirculating, nonCirculatingAccounts },
  };
};
