import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LIMITS } from '../../../generated/ledger/limits.ts';
import { viewBank } from '../bank/bank-view.ts';
import { mintAmount } from '../encode/token-amount.ts';
import type { Ledger } from '../ledger.ts';
import { findMint, tokenAccountOf } from '../accounts/token-view.ts';

const MAX_ACCOUNTS = LIMITS.getTokenLargestAccounts['result.value.maxItems'];

export const getTokenLargestAccounts: LedgerHandler<Ledger, 'getTokenLargestAccounts'> = (
  ledger,
  address,
  config,
) => {
  const { slot, context } = viewBank(ledger, config);
  const mint = findMint(ledger, address, slot);
  const holders = ledger.accounts
    .tokenAccounts('mints', address, slot)
    .flatMap(({ address: holder, account }) => {
      const token = tokenAccountOf(account);
      return token?.mint === address ? [{ holder, amount: token.amount }] : [];
    });
  const largest = holders.sort((a, b) => Number(b.amount - a.amount)).slice(0, MAX_ACCOUNTS);
  const now = ledger.blocks.time(slot);
  return {
    context,
    value: largest.map(({ holder, amount }) => ({ address: holder, ...mintAmount(amount, mint, now) })),
  };
};
