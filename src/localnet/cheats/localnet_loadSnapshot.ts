import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { loadState } from '../saved/save-state.ts';
import { readSavedState } from '../saved/snapshot-directory.ts';
import { assertRoom, putSnapshot } from './put-snapshot.ts';
import { snapshotInfo } from './snapshot-info.ts';

export const localnetLoadSnapshot: LedgerHandler<Ledger, 'localnet_loadSnapshot'> = async (ledger, name) => {
  assertRoom(ledger, name);
  const snapshot = await loadState(ledger, readSavedState(ledger.snapshotSettings.directory, name));
  putSnapshot(ledger, name, snapshot);
  return snapshotInfo(name, snapshot);
};
