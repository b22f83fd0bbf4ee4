import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';

export const getMinimumBalanceForRentExemption: LedgerHandler<Ledger, 'getMinimumBalanceForRentExemption'> = (
  { runtime },
  dataLength,
) => runtime.rentExemption(BigInt(dataLength));
