import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../rpc/json.ts';
import type { AddedAccount } from '../genesis/genesis-additions.ts';
import { isObject, readAccountJson } from './account-json.ts';
import { errorKind, optionProblem } from './option-problem.ts';
import { isAddress, parseAddress } from './parse-address.ts';
import { readFile } from './read-file.ts';

/** Stands for the address that the file names. */
const ADDRESS_OF_FILE = '-';

/**
 * Reads `--account ADDRESS FILE`: an account as `solana account --output json --output-file FILE` writes it, under this address, or with `-`
 * under the one in the file.
 *
 * @throws ServiceError invalidConfig naming the file and what is wrong in it.
 */
export function readAccountFile(option: string, address: string, path: string): AddedAccount {
  const json = parseFile(option, path);
  if (!isObject(json)) throw optionProblem(`${option}: ${path} is not an account: expected an object`);
  const read = readAccountJson(json.account);
  if (read.kind === 'fault') throw optionProblem(`${option}: ${path} is not an account: ${read.reason}`);
  const named = address === ADDRESS_OF_FILE ? json.pubkey : parseAddress(option, address);
  if (typeof named !== 'string' || !isAddress(named))
    throw optionProblem(`${option}: ${path} is not an account: pubkey is not an address`);
  return { address: named, account: read.account, origin: `${option} ${path}` };
}

/** Reads `--account-dir DIR`: every file there whose name ends in .json. @throws ServiceError invalidConfig. */
export function readAccountDirectory(directory: string): readonly AddedAccount[] {
  const option = '--account-dir';
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    throw optionProblem(`${option}: ${directory} cannot be read (${errorKind(error)})`, error);
  }
  const files = names.filter((name) => name.endsWith('.json')).sort();
  return files.map((name) => readAccountFile(option, ADDRESS_OF_FILE, join(directory, name)));
}

function parseFile(option: string, path: string): unknown {
  try {
    return parseJson(readFile(option, path).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError)
      throw optionProblem(`${option}: ${path} is not JSON`, error);
    throw error;
  }
}
