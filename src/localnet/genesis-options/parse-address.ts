import { existsSync } from 'node:fs';
import { base58 } from '@scure/base';
import { decodeBytes } from '../../wire/encoded-bytes.ts';
import { optionProblem } from './option-problem.ts';
import { readFile } from './read-file.ts';

const ADDRESS_BYTES = 32;
const KEYPAIR_BYTES = 64;

/**
 * Reads an address: in base-58, or the path of a key file (64 bytes as a JSON array), whose public half is the address. As a test validator
 * takes them.
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
