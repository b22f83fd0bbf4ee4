import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';

export const isBlockhashValid: LedgerHandler<Ledger, 'isBlockhashValid'> = (ledger, blockhash, config) => {
  const { slot, context } = viewBank(ledger, config);
  const { blocks } = ledger;
  return { context, value: blocks.blockhashes.isValid(blockhash, blocks.latestHashSlot(slot)) };
};
