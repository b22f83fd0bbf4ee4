import type { AddedAccount, FeatureChanges, GenesisAdditions } from '../genesis/genesis-additions.ts';
import type { Fork } from '../fork/fork.ts';
import { readAccountDirectory, readAccountFile } from './account-file.ts';
import { askCluster } from './ask-cluster.ts';
import { cloneAccounts, type CloneSource } from './clone-accounts.ts';
import { readClusterUrl } from './cluster-url.ts';
import { optionProblem } from './option-problem.ts';
import { isAddress, parseAddress } from './parse-address.ts';
import { readProgramFile } from './program-file.ts';

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
 * Reads the files and fetches the accounts that a ledger begins with; a fork has them from its own node if none is given. Later options win over earlier ones: clones, files, programs.
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
