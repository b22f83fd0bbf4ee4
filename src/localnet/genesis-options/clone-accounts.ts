import type { AddedAccount } from '../genesis/genesis-additions.ts';
import type { Account } from '../model.ts';
import { programDataAddress } from '../transaction/loaded-size.ts';
import { optionProblem } from './option-problem.ts';

/** Addresses to clone: accounts, accounts that may be absent, and upgradeable programs with their code. */
export type CloneRequest = {
  readonly accounts: readonly string[];
  readonly maybe: readonly string[];
  readonly programs: readonly string[];
};

/** Where accounts are copied from: `name` tells it in errors. Accounts come in order; undefined: there is none. */
export type CloneSource = {
  readonly name: string;
  readonly fetch: (addresses: readonly string[]) => Promise<readonly (Account | undefined)[]>;
};

/**
 * Fetches the accounts of `--clone`, `--maybe-clone` and `--clone-upgradeable-program` from a ledger node.
 *
 * @throws ServiceError those of the source; invalidConfig naming the account that is absent or no upgradeable program.
 */
export async function cloneAccounts(
  source: CloneSource,
  request: CloneRequest,
): Promise<readonly AddedAccount[]> {
  const { accounts, maybe, programs } = request;
  const asked = [...new Set([...accounts, ...maybe, ...programs])];
  const found = await source.fetch(asked);
  const byAddress = new Map(asked.map((address, index) => [address, found[index]]));
  const required = (option: string, address: string): AddedAccount => {
    const account = byAddress.get(address);
    if (account === undefined) throw optionProblem(`${option}: ${source.name} has no account ${address}`);
    return cloned(option, address, account);
  };
  const present = maybe.flatMap((address) => {
    const account = byAddress.get(address);
    return account === undefined ? [] : [cloned('--maybe-clone', address, account)];
  });
  const wanted = programs.map((address) => required('--clone-upgradeable-program', address));
  const code = await cloneCode(source, wanted);
  return [...accounts.map((address) => required('--clone', address)), ...present, ...code, ...wanted];
}

async function cloneCode(
  source: CloneSource,
  programs: readonly AddedAccount[],
): Promise<readonly AddedAccount[]> {
  const option = '--clone-upgradeable-program';
  const addresses = programs.map(({ address, account }) => {
    const code = programDataAddress(account);
    if (code === undefined) throw optionProblem(`${option}: ${address} is not an upgradeable program`);
    return code;
  });
  const found = await source.fetch(addresses);
  return addresses.map((address, index) => {
    const account = found[index];
    if (account === undefined)
      throw optionProblem(`${option}: ${source.name} has no code account ${address}`);
    return cloned(option, address, account);
  });
}

function cloned(option: string, address: string, account: Account): AddedAccount {
  return { address, account, origin: `${option} ${address}` };
}
