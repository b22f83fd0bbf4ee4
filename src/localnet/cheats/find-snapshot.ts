import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import type { LedgerSnapshot } from '../ledger-state.ts';

/** Returns the snapshot of a name. @throws ServiceError invalidParam listing the existing ones. */
export function findSnapshot({ snapshots }: Ledger, name: string): LedgerSnapshot {
  const snapshot = snapshots.get(name);
  if (snapshot !== undefined) return snapshot;
  const known = snapshots.size === 0 ? 'there are none' : `there are ${[...snapshots.keys()].join(', ')}`;
  throw serviceError('invalidParam', { reason: `there is no snapshot ${name}; ${known}` });
}
