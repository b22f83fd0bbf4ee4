import type { AccountStore } from '../accounts/account-store.ts';
import { CONFIG_PROGRAM } from '../addresses/program-ids.ts';
import type { Runtime } from '../bank/runtime.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import type { Fork } from '../fork/fork.ts';
import { shippedAccounts } from '../genesis/shipped-accounts.ts';
import { configProgram } from '../programs/config-program.ts';
import { programDataAddress } from '../transaction/loaded-size.ts';

type StoredLedger = {
  readonly runtime: Runtime;
  readonly accounts: AccountStore;
  readonly blocks: { readonly openSlot: bigint };
  readonly epochs: EpochSchedule;
  /** Undefined: not a fork. */
  readonly fork: Fork | undefined;
};

/**
 * Gives a new runtime the accounts of a stored ledger, and removes those that are not among them. A ledger that began without a config
 * program gets it in its open slot.
 */
export function restoreRuntime({ runtime, accounts, blocks, epochs, fork }: StoredLedger): void {
  if (fork === undefined && accounts.current(CONFIG_PROGRAM) === undefined)
    for (const { address, account } of configProgram(runtime))
      accounts.write(address, account, blocks.openSlot);
  const all = accounts.stored();
  const stored = new Map(all.map(({ address, account }) => [address, account]));
  const changed = new Set<string>();
  for (const { address } of shippedAccounts(runtime, { epochs, history: new Map() })) {
    if (stored.has(address)) continue;
    runtime.write(address, undefined);
    changed.add(address);
  }
  // The runtime loads a program when it is written, so its code has to be as it is stored.
  const programsLast = all.toSorted((a, b) => Number(a.account.executable) - Number(b.account.executable));
  for (const { address, account } of programsLast) {
    const present = runtime.read(address);
    const isSame =
      present?.lamports === account.lamports &&
      present.owner === account.owner &&
      Buffer.compare(present.data, account.data) === 0;
    if (isSame && !changed.has(programDataAddress(account) ?? '')) continue;
    runtime.place(address, account);
    changed.add(address);
  }
}
