import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';

export const localnetStopImpersonating: LedgerHandler<Ledger, 'localnet_stopImpersonating'> = (
  { impersonated },
  address,
) => impersonated.delete(address);
