import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import { viewBank } from '../bank/bank-view.ts';
import { mintAmount } from '../encode/token-amount.ts';
import type { Ledger } from '../ledger.ts';
import { findMint, tokenAccountOf } from '../accounts/token-view.ts';

export const getTokenAccountBalance: LedgerHandler<Ledger, 'getTokenAccountBalance'> = (
  ledger,
  address,
  config,
) => {
  const { slot, context } = viewBank(ledger, config);
  const account = ledger.accounts.read(address, slot);
  if (account === undefined) throw serviceError('invalidParam', { reason: 'could not find account' });
  const token = tokenAccountOf(account);
  if (token === undefined) throw serviceError('invalidParam', { reason: 'not a Token account' });
  const mint = findMint(ledger, token.mint, slot);
  return { context, value: mintAmount(token.amount, mint, ledger.blocks.time(slot)) };
};
