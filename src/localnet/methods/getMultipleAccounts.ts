import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewAccount } from '../accounts/account-view.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';

export const getMultipleAccounts: LedgerHandler<Ledger, 'getMultipleAccounts'> = (
  ledger,
  addresses,
  config,
) => {
  const { slot, context } = viewBank(ledger, config);
  const options = { ...config, slot, defaultEncoding: 'base64' } as const;
  const value = addresses.map((address) => {
    const account = ledger.accounts.read(address, slot);
    return account === undefined ? null : viewAccount(ledger, { address, account }, options);
  });
  return { context, value };
};
