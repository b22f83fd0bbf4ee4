import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AddedAccount, FeatureChanges, GenesisAdditions } from '../genesis/genesis-additions.ts';
import type { Fork } from '../fork/fork.ts';
import { readClusterUrl } from './cluster-url.ts';
import { optionProblem, errorKind } from './option-problem.ts';
import { isAddress, parseAddress, readFile, isObject, readAccountJson } from './account-json.ts';
import { callNodeAt } from '../fork/call-node.ts';
import { fetchAccounts } from '../fork/fetch-accounts.ts';
import type { Account } from '../model.ts';
import { SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import { isElf, upgradeableProgram } from '../programs/upgradeable-program.ts';
import { parseJson } from '../../core/rpc/json.ts';
import { programDataAddress } from '../transaction/loaded-size.ts';

/** The values of options that may be repeated, by name without the dashes; one with several values has them one after the other. */
export type OptionLists = Readonly<Record<string, readonly string[] | undefined>>;

/** The options of a genesis as they were given. */
export type GivenGenesis = {
  readonly lists: OptionLists;
  readonly mint: string | undefined;
  readonly faucetSol: string | undefined;
  readonly url: string | undefined;
};

const LAMPORTS_PER_SOL = 1_000_000_000n;
const SOL = /^(\d{1,10})(?:\.(\d{1,9}))?$/;
const U64_MAX = 2n ** 64n - 1n;

/**
 * Reads the files and fetches the accounts that a ledger begins with; a fork takes them from its own node unless another is given. Later
 * options override earlier ones: clones, files, programs.
 *
 * @throws ServiceError invalidConfig naming option and file; forkFailed.
 */
export async function readGenesisOptions(
  given: GivenGenesis,
  fork?: Pick<Fork, 'fetch'>,
): Promise<GenesisAdditions> {
  const { lists, mint, faucetSol } = given;
  const files = pairs(lists.account).map(([address, path]) => readAccountFile('--account', address, path));
  const directories = (lists['account-dir'] ?? []).flatMap(readAccountDirectory);
  const programs: AddedAccount[] = [];
  for (const [address, path] of pairs(lists['bpf-program']))
    programs.push(...(await readProgramFile({ option: '--bpf-program', address, path, authority: 'none' })));
  for (const [address, path, authority] of triples(lists['upgradeable-program']))
    programs.push(...(await readProgramFile({ option: '--upgradeable-program', address, path, authority })));
  const accounts = [...(await readClones(given, fork)), ...directories, ...files, ...programs];
  return {
    accounts: lastOfEach(accounts),
    ...(mint === undefined ? {} : { mint: parseAddress('--mint', mint) }),
    ...(faucetSol === undefined ? {} : { faucetLamports: readSol(faucetSol) }),
  };
}

/** Reads `--feature` and `--deactivate-feature`. @throws ServiceError invalidConfig. */
export function readFeatureChanges(lists: OptionLists): FeatureChanges {
  const read = (option: string): readonly string[] => {
    const ids = lists[option] ?? [];
    const odd = ids.find((id) => !isAddress(id));
    if (odd !== undefined) throw optionProblem(`--${option}: "${odd}" is not the address of a feature gate`);
    return ids;
  };
  return { activated: read('feature'), deactivated: read('deactivate-feature') };
}

async function readClones(
  { lists, url }: GivenGenesis,
  fork: Pick<Fork, 'fetch'> | undefined,
): Promise<readonly AddedAccount[]> {
  const addressesOf = (option: string): readonly string[] =>
    (lists[option] ?? []).map((text) => parseAddress(`--${option}`, text));
  const request = {
    accounts: addressesOf('clone'),
    maybe: addressesOf('maybe-clone'),
    programs: addressesOf('clone-upgradeable-program'),
  };
  if (Object.values(request).every((addresses) => addresses.length === 0)) return [];
  return await cloneAccounts(sourceOf(url, fork), request);
}

function sourceOf(url: string | undefined, fork: Pick<Fork, 'fetch'> | undefined): CloneSource {
  if (url !== undefined) {
    const node = readClusterUrl('--url', url);
    return { name: node.host, fetch: (addresses) => askCluster(node, addresses) };
  }
  if (fork === undefined)
    throw optionProblem('accounts are cloned from a ledger node: give its address with --url');
  return { name: 'the fork', fetch: (addresses) => fork.fetch(addresses) };
}

function readSol(text: string): bigint {
  const [matched, whole = '', fraction = ''] = SOL.exec(text) ?? [];
  const lamports = BigInt(whole) * LAMPORTS_PER_SOL + BigInt(fraction.padEnd(9, '0'));
  if (matched === undefined || lamports === 0n || lamports > U64_MAX / 4n)
    throw optionProblem(
      `--faucet-sol: "${text}" is not an amount of SOL above 0 and below ${U64_MAX / 4n / LAMPORTS_PER_SOL}`,
    );
  return lamports;
}

function lastOfEach(accounts: readonly AddedAccount[]): readonly AddedAccount[] {
  return accounts.filter(
    ({ address }, index) => accounts.findLastIndex((other) => other.address === address) === index,
  );
}

function pairs(values: readonly string[] = []): readonly (readonly [string, string])[] {
  return chunks(values, 2).map(([first = '', second = '']) => [first, second]);
}

function triples(values: readonly string[] = []): readonly (readonly [string, string, string])[] {
  return chunks(values, 3).map(([first = '', second = '', third = '']) => [first, second, third]);
}

function chunks(values: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: values.length / size }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

/** A call with `ACCOUNTS_PER_CALL` accounts of the largest size in base-64 is answered within these limits. */
const LIMITS = { deadlineMs: 60_000, maxAnswerBytes: 160 * 1024 * 1024, attempts: 1 };
/** Accounts of one call: programs are large. */
const ACCOUNTS_PER_CALL = 10;

/**
 * Fetches accounts from a ledger node, in order; undefined: the node has none.
 *
 * @throws ServiceError invalidConfig naming only the host: the rest of an address may contain a key.
 */
async function askCluster(url: URL, addresses: readonly string[]): Promise<readonly (Account | undefined)[]> {
  const call = callNodeAt(url, LIMITS);
  const accounts: (Account | undefined)[] = [];
  for (let at = 0; at < addresses.length; at += ACCOUNTS_PER_CALL) {
    const fetched = await fetchAccounts(call, addresses.slice(at, at + ACCOUNTS_PER_CALL));
    if (fetched.kind === 'refusal')
      throw optionProblem(`--url: accounts cannot be cloned from ${url.host}: ${fetched.reason}`);
    accounts.push(...fetched.accounts.map(({ account }) => account));
  }
  return accounts;
}

const NO_AUTHORITY = 'none';

type ProgramOption = {
  readonly option: string;
  /** In base-58, or a key file. */
  readonly address: string;
  readonly path: string;
  /** In base-58, a key file, or "none". */
  readonly authority: string;
};

/**
 * Reads `--bpf-program ADDRESS FILE` and `--upgradeable-program ADDRESS FILE AUTHORITY`: the accounts of an upgradeable program deployed in
 * slot 0. As on a test validator, one that nobody can upgrade has the system program's address as its authority.
 *
 * @throws ServiceError invalidConfig.
 */
async function readProgramFile(given: ProgramOption): Promise<readonly AddedAccount[]> {
  const { option, path } = given;
  const address = parseAddress(option, given.address);
  const authority = given.authority === NO_AUTHORITY ? SYSTEM_PROGRAM : parseAddress(option, given.authority);
  const elf = readFile(option, path);
  if (!isElf(elf)) throw optionProblem(`${option}: ${path} is not a program: expected an ELF file`);
  const accounts = upgradeableProgram({ address, elf, authority, slot: 0n });
  return accounts.map((entry) => ({ ...entry, origin: `${option} ${path}`, isMadeExempt: true }));
}

/** Placeholder for the address in the file. */
const ADDRESS_OF_FILE = '-';

/**
 * Reads `--account ADDRESS FILE`: an account as `solana account --output json --output-file FILE` writes it, under this address, or with `-`
 * under the one in the file.
 *
 * @throws ServiceError invalidConfig naming the file and what is wrong in it.
 */
function readAccountFile(option: string, address: string, path: string): AddedAccount {
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
function readAccountDirectory(directory: string): readonly AddedAccount[] {
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

/** Addresses to clone: accounts, accounts that may be absent, and upgradeable programs with their code. */
type CloneRequest = {
  readonly accounts: readonly string[];
  readonly maybe: readonly string[];
  readonly programs: readonly string[];
};

/** The source of cloned accounts; `name` is its name in errors. Accounts come in order; undefined: the source has none. */
type CloneSource = {
  readonly name: string;
  readonly fetch: (addresses: readonly string[]) => Promise<readonly (Account | undefined)[]>;
};

/**
 * Fetches the accounts of `--clone`, `--maybe-clone` and `--clone-upgradeable-program` from a ledger node.
 *
 * @throws ServiceError those of the source; invalidConfig naming the account that is absent or no upgradeable program.
 */
async function cloneAccounts(source: CloneSource, request: CloneRequest): Promise<readonly AddedAccount[]> {
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
      throw optionProblem(`${option}: ${source.name} has no program data account ${address}`);
    return cloned(option, address, account);
  });
}

function cloned(option: string, address: string, account: Account): AddedAccount {
  return { address, account, origin: `${option} ${address}` };
}
