import { serviceError } from '../../base/service-error.ts';
import type { Ledger } from '../ledger.ts';
import type { LedgerSnapshot } from '../ledger-snapshot.ts';

/** Returns the snapshot of a name. @throws ServiceError invalidParam naming those that there are. */
export function findSnapshot({ snapshots }: Ledger, name: string): LedgerSnapshot {
  const snapshot = snapshots.get(name);
  if (snapshot !== undefined) return snapshot;
  const known = snapshots.size === 0 ? 'there are none' : `there are ${[...snapshots.keys()].join(', ')}`;
  throw serviceError('invalidParam', { reason: `there is no snapshot ${name}; ${known}` });
}
