import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { resumeClock } from '../time/pause-clock.ts';
import { positionOf } from './position.ts';

export const localnetResume: LedgerHandler<Ledger, 'localnet_resume'> = (ledger) => {
  resumeClock(ledger);
  return positionOf(ledger);
};
