import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { positionOf } from './position.ts';

export const localnetGetPosition: LedgerHandler<Ledger, 'localnet_getPosition'> = (ledger) =>
  positionOf(ledger);
