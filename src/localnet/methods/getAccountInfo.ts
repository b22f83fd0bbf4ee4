import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewAccount } from '../accounts/account-view.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';

export const getAccountInfo: LedgerHandler<Ledger, 'getAccountInfo'> = (ledger, address, config) => {
  const { slot, context } = viewBank(ledger, config);
  const account = ledger.accounts.read(address, slot);
  const options = { ...config, slot, defaultEncoding: 'binary' } as const;
  return {
    context,
    value: account === undefined ? null : viewAccount(ledger, { address, account }, options),
  };
};
