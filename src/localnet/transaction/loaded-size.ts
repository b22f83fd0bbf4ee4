import { base58 } from '@scure/base';
import { UPGRADEABLE_LOADER } from '../addresses/program-ids.ts';
import { SYSVAR_INSTRUCTIONS } from '../addresses/sysvar-addresses.ts';
import type { Account, LoadedAddresses } from '../model.ts';
import type { Message } from '../../core/wire/message.ts';
import { accountKeys } from './account-keys.ts';

const ACCOUNT_BASE_BYTES = 64;
const LOOKUP_TABLE_BYTES = 8_248;
const PROGRAM_STATE = 2;

/** Returns the bytes of account data that a transaction loads, counted as SIMD-0186 specifies: accounts, program data, lookup tables. */
export function loadedAccountsSize(
  message: Message,
  loaded: LoadedAddresses,
  read: (address: string) => Account | undefined,
): number {
  const addresses = new Set(accountKeys(message, loaded));
  for (const address of [...addresses]) {
    const programData = programDataAddress(read(address));
    if (programData !== undefined) addresses.add(programData);
  }
  addresses.delete(SYSVAR_INSTRUCTIONS);
  const sizes = [...addresses].map((address) => {
    const account = read(address);
    return account === undefined ? 0 : ACCOUNT_BASE_BYTES + account.data.length;
  });
  return sizes.reduce((sum, size) => sum + size, LOOKUP_TABLE_BYTES * message.lookups.length);
}

/** Returns the address of an upgradeable program's code. */
export function programDataAddress(account: Account | undefined): string | undefined {
  if (account?.owner !== UPGRADEABLE_LOADER || account.data.length < 36 || account.data[0] !== PROGRAM_STATE)
    return undefined;
  return base58.encode(account.data.subarray(4, 36));
}
