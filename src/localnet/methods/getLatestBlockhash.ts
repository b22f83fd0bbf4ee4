import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import { latestBlockhash } from '../blocks/latest-blockhash.ts';
import type { Ledger } from '../ledger.ts';

export const getLatestBlockhash: LedgerHandler<Ledger, 'getLatestBlockhash'> = (ledger, config) => {
  const { slot, context } = viewBank(ledger, config);
  return { context, value: latestBlockhash(ledger, slot) };
};
