import type { Runtime } from '../bank/runtime.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import { shippedAccounts } from '../genesis/shipped-accounts.ts';
import type { KeyedAccount } from '../model.ts';

/** Gives a new runtime the accounts of a stored ledger, and takes those that are not among them. */
export function restoreRuntime(
  runtime: Runtime,
  epochs: EpochSchedule,
  accounts: readonly KeyedAccount[],
): void {
  const stored = new Map(accounts.map(({ address, account }) => [address, account]));
  for (const { address } of shippedAccounts(runtime, { epochs, history: new Map() }))
    if (!stored.has(address)) runtime.write(address, undefined);
  // The runtime loads a program when it is written, so its code has to be there.
  const programsLast = accounts.toSorted(
    (a, b) => Number(a.account.executable) - Number(b.account.executable),
  );
  for (const { address, account } of programsLast) {
    const present = runtime.read(address);
    const isSame =
      present?.lamports === account.lamports &&
      present.owner === account.owner &&
      Buffer.compare(present.data, account.data) === 0;
    if (!isSame) runtime.place(address, account);
  }
}
