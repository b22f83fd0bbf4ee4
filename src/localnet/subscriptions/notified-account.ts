import type { AccountEncoding, DataSlice, UiAccount } from '../../../generated/ledger/types.ts';
import { ServiceError } from '../../core/service-error.ts';
import { viewAccount } from '../accounts/account-view.ts';
import type { Ledger } from '../ledger.ts';
import type { KeyedAccount } from '../model.ts';

/** The nodes' placeholder for data that is too long for base-58 (agave, account-decoder). */
const TOO_LARGE = 'error: data too large for bs58 encoding';

export type NotifiedOptions = {
  readonly slot: bigint;
  readonly encoding: AccountEncoding;
  readonly dataSlice?: DataSlice | null;
};

/** Returns a subscription's slice without members that have no effect, or null: it is part of the subscription's identity. */
export function sliceOf(
  config: { readonly dataSlice?: DataSlice | null } | null | undefined,
): DataSlice | null {
  const slice = config?.dataSlice;
  return slice ? { offset: slice.offset, length: slice.length } : null;
}

/** Returns an account of a bank in the requested encoding. Where an answer would be an error, the data of a notification is a text. */
export function notifiedAccount(
  ledger: Ledger,
  { address, account }: KeyedAccount,
  { slot, encoding, dataSlice = null }: NotifiedOptions,
): UiAccount {
  const view = (data: Uint8Array) =>
    viewAccount(
      ledger,
      { address, account: { ...account, data } },
      { slot, encoding, dataSlice, defaultEncoding: encoding },
    );
  try {
    return view(account.data);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'base58DataTooLarge') throw error;
    const space = BigInt(account.data.length);
    const data = encoding === 'binary' ? TOO_LARGE : ([TOO_LARGE, 'base58'] as const);
    return { ...view(new Uint8Array(0)), data, space };
  }
}
