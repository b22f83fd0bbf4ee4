import type {
  AccountConfig,
  AccountEncoding,
  KeyedAccount as UiKeyedAccount,
  UiAccount,
} from '../../../generated/ledger/types.ts';
import { isTokenProgram } from '../addresses/is-token-program.ts';
import { encodeAccount } from '../encode/account.ts';
import type { Ledger } from '../ledger.ts';
import type { Account, KeyedAccount } from '../model.ts';

export type AccountViewOptions = Pick<AccountConfig, 'encoding' | 'dataSlice'> & {
  readonly slot: bigint;
  readonly defaultEncoding: AccountEncoding;
  /** Reads mints, if not from the bank of `slot`. */
  readonly read?: (address: string) => Account | undefined;
};

/** Returns an account of a bank in the requested encoding. Throws as encodeAccount does. */
export function viewAccount(
  ledger: Ledger,
  { address, account }: KeyedAccount,
  options: AccountViewOptions,
): UiAccount {
  const { slot, dataSlice, defaultEncoding } = options;
  const mintOf = options.read ?? ((mint: string) => ledger.accounts.read(mint, slot));
  const encoding = options.encoding ?? defaultEncoding;
  return encodeAccount(account, {
    encoding,
    dataSlice,
    address,
    mintOf,
    nowSeconds: ledger.blocks.time(slot),
  });
}

/** Returns a list of accounts. Under jsonParsed a token program's accounts that cannot be parsed are left out, as nodes do. */
export function viewAccounts(
  ledger: Ledger,
  accounts: readonly KeyedAccount[],
  options: AccountViewOptions,
): readonly UiKeyedAccount[] {
  const onlyParsed = options.encoding === 'jsonParsed';
  return accounts.flatMap((entry) => {
    const account = viewAccount(ledger, entry, options);
    const isLeftOut = onlyParsed && isTokenProgram(account.owner) && Array.isArray(account.data);
    return isLeftOut ? [] : [{ pubkey: entry.address, account }];
  });
}
