import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { pauseClock } from '../time/pause-clock.ts';
import { positionOf } from './position.ts';

export const localnetPause: LedgerHandler<Ledger, 'localnet_pause'> = (ledger) => {
  pauseClock(ledger);
  return positionOf(ledger);
};
