import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { inflationRate } from '../validator/inflation.ts';
import type { Ledger } from '../ledger.ts';

export const getInflationRate: LedgerHandler<Ledger, 'getInflationRate'> = (ledger) => {
  const epoch = ledger.epochs.epochOf(ledger.slotAt('finalized'));
  return { ...inflationRate(ledger.epochs.firstSlot(epoch), ledger.pace.slotMs), epoch };
};
