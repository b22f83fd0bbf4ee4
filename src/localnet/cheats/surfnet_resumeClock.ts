import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { resumeClock } from '../time/pause-clock.ts';
import { surfnetEpoch } from './surfnet-answer.ts';

export const surfnetResumeClock: LedgerHandler<Ledger, 'surfnet_resumeClock'> = (ledger) => {
  resumeClock(ledger);
  return surfnetEpoch(ledger);
};
