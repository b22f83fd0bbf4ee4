import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { assertRoom, putSnapshot } from './put-snapshot.ts';
import { snapshotInfo } from './snapshot-info.ts';

export const localnetSnapshot: LedgerHandler<Ledger, 'localnet_snapshot'> = (ledger, name) => {
  assertRoom(ledger, name);
  const snapshot = ledger.take();
  putSnapshot(ledger, name, snapshot);
  return snapshotInfo(name, snapshot);
};
