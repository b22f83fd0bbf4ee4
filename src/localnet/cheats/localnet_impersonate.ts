import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';

export const localnetImpersonate: LedgerHandler<Ledger, 'localnet_impersonate'> = (
  { impersonated },
  address,
) => {
  impersonated.add(address);
  return null;
};
