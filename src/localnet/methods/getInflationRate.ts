import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { epochOf } from '../epoch/epoch.ts';
import { inflationRate } from '../validator/inflation.ts';
import type { Ledger } from '../ledger.ts';

export const getInflationRate: LedgerHandler<Ledger, 'getInflationRate'> = (ledger) => {
  const epoch = epochOf(ledger.slotAt('finalized'));
  return { ...inflationRate(epoch, ledger.slotMs), epoch };
};
