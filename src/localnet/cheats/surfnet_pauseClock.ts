import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { pauseClock } from '../time/pause-clock.ts';
import { surfnetEpoch } from './surfnet-answer.ts';

export const surfnetPauseClock: LedgerHandler<Ledger, 'surfnet_pauseClock'> = (ledger) => {
  pauseClock(ledger);
  return surfnetEpoch(ledger);
};
