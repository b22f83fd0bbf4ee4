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

/**
 * Resets accounts to their state at the start of the ledger, or when the fork adopted them. @throws ServiceError invalidParam, forkFailed.
 */
export async function resetAccounts(ledger: Ledger, addresses: readonly string[]): Promise<void> {
  await ledger.fork?.touch(ledger, addresses);
  const { accounts, startAccounts: start } = ledger;
  if (start === undefined) return;
  const changes = addresses.map((address) => ({ address, account: accounts.readTaken(start, address) }));
  writeAccounts(ledger, changes, 'the runtime refuses the original account: its program code is missing');
}
