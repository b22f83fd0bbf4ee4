import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';

export const getBalance: LedgerHandler<Ledger, 'getBalance'> = (ledger, address, config) => {
  const { slot, context } = viewBank(ledger, config);
  return { context, value: ledger.accounts.read(address, slot)?.lamports ?? 0n };
};
