import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { findSnapshot } from './find-snapshot.ts';
import { positionOf } from './position.ts';

export const localnetRestore: LedgerHandler<Ledger, 'localnet_restore'> = (ledger, name) => {
  ledger.goTo(findSnapshot(ledger, name));
  return positionOf(ledger);
};
