import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';

export const localnetDeleteSnapshot: LedgerHandler<Ledger, 'localnet_deleteSnapshot'> = (
  { accounts, snapshots },
  name,
) => {
  const snapshot = snapshots.get(name);
  if (snapshot !== undefined) accounts.release(snapshot.accounts);
  return snapshots.delete(name);
};
