import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Account } from '../model.ts';
import { readBytes } from './read-bytes.ts';
import { readOpen, writeAccounts } from './write-accounts.ts';

const NEW_ACCOUNT: Account = {
  lamports: 0n,
  data: new Uint8Array(0),
  owner: SYSTEM_PROGRAM,
  executable: false,
  rentEpoch: 2n ** 64n - 1n,
};

export const localnetSetAccount: LedgerHandler<Ledger, 'localnet_setAccount'> = async (
  ledger,
  address,
  changes,
) => {
  const data = changes.data ?? undefined;
  const bytes = data === undefined ? undefined : readBytes('data', data);
  await setAccount(ledger, address, { ...changes, data: bytes });
  return null;
};

/** New values of an account; absent members stay. */
export type AccountMembers = {
  readonly lamports?: number | bigint | null;
  readonly data?: Uint8Array | undefined;
  readonly owner?: string | null;
  readonly executable?: boolean | null;
};

/** Sets an account in the open slot. @throws ServiceError invalidParam, forkFailed. */
export async function setAccount(ledger: Ledger, address: string, members: AccountMembers): Promise<void> {
  await ledger.fork?.touch(ledger, [address]);
  const before = readOpen(ledger, address) ?? NEW_ACCOUNT;
  const account: Account = {
    lamports: BigInt(members.lamports ?? before.lamports),
    data: members.data ?? before.data,
    owner: members.owner ?? before.owner,
    executable: members.executable ?? before.executable,
    rentEpoch: before.rentEpoch,
  };
  writeAccounts(
    ledger,
    [{ address, account }],
    `the runtime refuses the account ${address}: no program to load`,
  );
}
