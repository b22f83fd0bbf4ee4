import { zstdDecompressSync } from 'node:zlib';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { base58 } from '@scure/base';
import { decodeBytes } from '../../core/wire/encoded-bytes.ts';
import type { Account } from '../model.ts';
import { optionProblem, errorKind } from './option-problem.ts';

/** Largest data of an account. */
const MAX_DATA_BYTES = 10 * 1024 * 1024;
const U64_MAX = 2n ** 64n - 1n;

/** An account, or the reason why the JSON is not an account. */
export type ReadAccount =
  | { readonly kind: 'account'; readonly account: Account }
  | { readonly kind: 'fault'; readonly reason: string };

/** Reads an account in the form of a node's answer: `{lamports, data, owner, executable, rentEpoch}`. */
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

/** Returns the bytes, or the reason why they cannot be read. */
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

/** JavaScript prints the largest 64-bit integer as 18446744073709552000. */
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

const ADDRESS_BYTES = 32;
const KEYPAIR_BYTES = 64;

/**
 * Reads an address: in base-58, or the path of a key file (64 bytes as a JSON array) whose public half is the address, as a test validator
 * accepts them.
 *
 * @throws ServiceError invalidConfig.
 */
export function parseAddress(option: string, text: string): string {
  if (isAddress(text)) return text;
  if (existsSync(text)) return addressOfKeyFile(option, text);
  throw optionProblem(`${option}: "${text}" is neither an address in base-58 nor the path of a key file`);
}

/** True for 32 bytes in base-58. */
export function isAddress(text: string): boolean {
  if (text.length > 44) return false;
  const decoded = decodeBytes(text, 'base58');
  return decoded.kind === 'bytes' && decoded.bytes.length === ADDRESS_BYTES;
}

/** Never shows the content of the file, which is a secret. */
function addressOfKeyFile(option: string, path: string): string {
  const text = readFile(option, path).toString('utf8');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw optionProblem(`${option}: ${path} is not a key file: it is not JSON`);
  }
  const isKey =
    Array.isArray(parsed) &&
    parsed.length === KEYPAIR_BYTES &&
    parsed.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256);
  if (!isKey) throw optionProblem(`${option}: ${path} is not a key file: expected an array of 64 bytes`);
  return base58.encode(Uint8Array.from(parsed as number[]).subarray(ADDRESS_BYTES));
}

/** Larger than any account with its data in base-64. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Reads a file of an option. @throws ServiceError invalidConfig naming option and file. */
export function readFile(option: string, path: string): Buffer {
  let size: number;
  try {
    size = statSync(path).size;
  } catch (error) {
    throw optionProblem(`${option}: ${path} cannot be read (${errorKind(error)})`, error);
  }
  if (size > MAX_BYTES)
    throw optionProblem(`${option}: ${path} has ${size} bytes, and the limit is ${MAX_BYTES}`);
  try {
    return readFileSync(path);
  } catch (error) {
    throw optionProblem(`${option}: ${path} cannot be read (${errorKind(error)})`, error);
  }
}
