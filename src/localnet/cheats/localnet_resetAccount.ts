import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { writeAccounts } from './write-accounts.ts';

export const localnetResetAccount: LedgerHandler<Ledger, 'localnet_resetAccount'> = async (
  ledger,
  address,
) => {
  await resetAccounts(ledger, [address]);
  return null;
};

/** Makes accounts what they were when the ledger started, or when it took them as a fork. @throws ServiceError invalidParam, forkFailed. */
export async function resetAccounts(ledger: Ledger, addresses: readonly string[]): Promise<void> {
  await ledger.fork?.touch(ledger, addresses);
  const { accounts, startAccounts: start } = ledger;
  if (start === undefined) return;
  const changes = addresses.map((address) => ({ address, account: accounts.readTaken(start, address) }));
  writeAccounts(ledger, changes, 'the runtime refuses what the account was: its code is not there');
}
