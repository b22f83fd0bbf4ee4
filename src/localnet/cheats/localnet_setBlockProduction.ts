import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { positionOf } from './position.ts';

export const localnetSetBlockProduction: LedgerHandler<Ledger, 'localnet_setBlockProduction'> = (
  ledger,
  { mode, slotMs },
) => {
  const { pace } = ledger;
  pace.change({ production: mode ?? pace.production, slotMs: Number(slotMs ?? pace.slotMs) });
  return positionOf(ledger);
};
