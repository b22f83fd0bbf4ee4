import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LIMITS } from '../../../generated/ledger/limits.ts';
import type { AddressBalance } from '../../../generated/ledger/types.ts';
import { decodeBase58 } from '../bytes/base58.ts';
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
  return { context, value: balances.sort(largestFirst).slice(0, MAX_ACCOUNTS) };
};

/** Of equal balances the higher address comes first, as on a node. */
function largestFirst(a: AddressBalance, b: AddressBalance): number {
  return Number(b.lamports - a.lamports) || Buffer.compare(decodeBase58(b.address), decodeBase58(a.address));
}
