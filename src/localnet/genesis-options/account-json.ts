import { zstdDecompressSync } from 'node:zlib';
import { decodeBytes } from '../../wire/encoded-bytes.ts';
import type { Account } from '../model.ts';
import { isAddress } from './parse-address.ts';

/** Largest data of an account. */
const MAX_DATA_BYTES = 10 * 1024 * 1024;
const U64_MAX = 2n ** 64n - 1n;

/** An account, or the reason why the JSON is none. */
export type ReadAccount =
  | { readonly kind: 'account'; readonly account: Account }
  | { readonly kind: 'fault'; readonly reason: string };

/** Reads an account in the form that nodes answer with: `{lamports, data, owner, executable, rentEpoch}`. */
export function readAccountJson(json: unknown): ReadAccount {
  if (!isObject(json)) return fault('the account is not an object');
  const { owner, executable } = json;
  const lamports = readU64(json.lamports);
  const rentEpoch = json.rentEpoch === undefined ? U64_MAX : readRentEpoch(json.rentEpoch);
  if (lamports === undefined) return fault('lamports is not a 64-bit integer');
  if (rentEpoch === undefined) return fault('rentEpoch is not a 64-bit integer');
  if (typeof owner !== 'string' || !isAddress(owner)) return fault('owner is not an address');
  if (typeof executable !== 'boolean') return fault('executable is not true or false');
  const data = readData(json.data);
  if (typeof data === 'string') return fault(data);
  return { kind: 'account', account: { lamports, data, owner, executable, rentEpoch } };
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the bytes, or the reason why there are none. */
function readData(data: unknown): Uint8Array | string {
  const [text, encoding] = typeof data === 'string' ? [data, 'base58'] : Array.isArray(data) ? data : [];
  if (typeof text !== 'string') return 'data is neither text nor a pair of text and encoding';
  if (encoding !== 'base58' && encoding !== 'base64' && encoding !== 'base64+zstd')
    return `the encoding of data is ${JSON.stringify(encoding)}, expected base58, base64 or base64+zstd`;
  const decoded = decodeBytes(text, encoding === 'base58' ? 'base58' : 'base64');
  if (decoded.kind === 'fault') return `data is not ${encoding}: ${decoded.reason}`;
  const bytes = encoding === 'base64+zstd' ? inflate(decoded.bytes) : decoded.bytes;
  if (typeof bytes === 'string') return bytes;
  return bytes.length > MAX_DATA_BYTES
    ? `data has ${bytes.length} bytes, and the limit is ${MAX_DATA_BYTES}`
    : bytes;
}

function inflate(bytes: Uint8Array): Uint8Array | string {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: MAX_DATA_BYTES });
  } catch {
    return `data is not a zstd frame of at most ${MAX_DATA_BYTES} bytes`;
  }
}

/** Scripts in JavaScript write the largest 64-bit integer as 18446744073709552000. */
function readRentEpoch(value: unknown): bigint | undefined {
  return typeof value === 'bigint' && value > U64_MAX ? U64_MAX : readU64(value);
}

function readU64(value: unknown): bigint | undefined {
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  if (!isInteger) return undefined;
  const integer = BigInt(value);
  return integer >= 0n && integer <= U64_MAX ? integer : undefined;
}

function fault(reason: string): ReadAccount {
  return { kind: 'fault', reason };
}
