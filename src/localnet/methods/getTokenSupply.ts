import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import { mintAmount } from '../encode/mint-amount.ts';
import type { Ledger } from '../ledger.ts';
import { findMint } from '../accounts/token-view.ts';

export const getTokenSupply: LedgerHandler<Ledger, 'getTokenSupply'> = (ledger, address, config) => {
  const { slot, context } = viewBank(ledger, config);
  const mint = findMint(ledger, address, slot, 'could not find account');
  return { context, value: mintAmount(mint.supply, mint, ledger.blocks.time(slot)) };
};
