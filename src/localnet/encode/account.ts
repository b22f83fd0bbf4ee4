import { constants, zstdCompressSync } from 'node:zlib';
import type { AccountData, AccountEncoding, DataSlice, UiAccount } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Account } from '../model.ts';
import { encodeBase58, encodeBase64 } from '../bytes/base58.ts';
import { parseAccount, type MintTerms } from './parsed-account/parse-account.ts';

/** Maximum size of account data in base-58. */
const MAX_BASE58_BYTES = 128;
/** A frame without the size of its content. */
const ZSTD = { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } };
/** Magic number, nothing optional, a window of 2 MiB, which is the largest of the level of compression (RFC 8878, 3.1.1.1). */
const ZSTD_HEAD = Buffer.from('28b52ffd0058', 'hex');

export type AccountOptions = MintTerms & {
  readonly encoding: AccountEncoding;
  readonly dataSlice?: DataSlice | null | undefined;
  /** The account's own address, on which the parsed form of a sysvar depends. */
  readonly address: string;
};

/**
 * Encodes an account in the node's form. `dataSlice` applies to every encoding except jsonParsed; `space` is the whole length either way.
 * Data that cannot be parsed is returned as a base-64 pair. Throws `base58DataTooLarge` if the encoding is base58 or binary and more than
 * 128 bytes would be shown.
 */
export function encodeAccount(account: Account, options: AccountOptions): UiAccount {
  return {
    lamports: account.lamports,
    data: encodeData(account, options),
    owner: account.owner,
    executable: account.executable,
    rentEpoch: account.rentEpoch,
    space: BigInt(account.data.length),
  };
}

function encodeData(account: Account, options: AccountOptions): AccountData {
  const { encoding } = options;
  const bytes = sliceData(account.data, options.dataSlice);
  switch (encoding) {
    case 'binary':
      return encodeSmall(bytes);
    case 'base58':
      return [encodeSmall(bytes), encoding];
    case 'base64':
      return [encodeBase64(bytes), encoding];
    case 'base64+zstd':
      return [encodeBase64(zstdFrame(bytes)), encoding];
    case 'jsonParsed':
      return parseAccount(options.address, account, options) ?? [encodeBase64(bytes), 'base64'];
    default:
      return encoding satisfies never;
  }
}

/** Like a node's stream encoder: the frame does not state its content size, and its window fits content of any size. */
function zstdFrame(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([ZSTD_HEAD, zstdCompressSync(bytes, ZSTD).subarray(ZSTD_HEAD.length)]);
}

function encodeSmall(bytes: Uint8Array): string {
  if (bytes.length > MAX_BASE58_BYTES) throw serviceError('base58DataTooLarge');
  return encodeBase58(bytes);
}

/** Returns the requested part of the data; anything past the end is left out. */
function sliceData(data: Uint8Array, slice: DataSlice | null | undefined): Uint8Array {
  if (slice === null || slice === undefined) return data;
  const size = BigInt(data.length);
  const start = min(BigInt(slice.offset), size);
  const end = min(start + BigInt(slice.length), size);
  return data.subarray(Number(start), Number(end));
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
