import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import type { LedgerSnapshot } from '../ledger-state.ts';

/** Each snapshot stores its differences from the others; the limit guards against forgotten ones. */
const MAX_SNAPSHOTS = 1_000;
/** Limit on the accounts that differ between snapshots. */
const MAX_SNAPSHOT_BYTES = 1024 * 1024 * 1024;

/** Asserts that there is room for a snapshot of this name. @throws ServiceError invalidParam naming the limit that is reached. */
export function assertRoom(ledger: Ledger, name: string): void {
  const { snapshots, accounts, snapshotSettings, startAccounts } = ledger;
  const advice = 'delete some with localnet_deleteSnapshot';
  if (!snapshots.has(name) && snapshots.size >= MAX_SNAPSHOTS)
    throw serviceError('invalidParam', {
      reason: `there are ${snapshots.size} snapshots, the limit is ${MAX_SNAPSHOTS}; ${advice}`,
    });
  const bytes = accounts.takenBytes - (startAccounts?.version.bytes ?? 0);
  const limit = snapshotSettings.maxBytes ?? MAX_SNAPSHOT_BYTES;
  if (snapshots.size > 0 && bytes > limit)
    throw serviceError('invalidParam', {
      reason: `the ${snapshots.size} snapshots hold ${bytes} bytes of accounts, the limit is ${limit}; ${advice}`,
    });
}

/** Stores a snapshot under its name; the previous one of that name is released. */
export function putSnapshot({ snapshots, accounts }: Ledger, name: string, snapshot: LedgerSnapshot): void {
  const replaced = snapshots.get(name);
  if (replaced !== undefined) accounts.release(replaced.accounts);
  snapshots.delete(name);
  snapshots.set(name, snapshot);
}
