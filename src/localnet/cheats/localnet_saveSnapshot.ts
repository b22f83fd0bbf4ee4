import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { saveState } from '../saved/save-state.ts';
import { writeSavedState } from '../saved/snapshot-directory.ts';
import { findSnapshot } from './find-snapshot.ts';
import { snapshotInfo } from './snapshot-info.ts';

export const localnetSaveSnapshot: LedgerHandler<Ledger, 'localnet_saveSnapshot'> = (ledger, name) => {
  const snapshot = findSnapshot(ledger, name);
  const bytes = writeSavedState(ledger.snapshotSettings.directory, name, saveState(ledger, snapshot));
  return { ...snapshotInfo(name, snapshot), bytes: BigInt(bytes) };
};
