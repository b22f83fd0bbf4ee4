import { isObject } from './genesis-options/account-json.ts';
import { optionProblem } from './genesis-options/option-problem.ts';
import { type LocalnetOptions, readLocalnetOptions } from './localnet-options.ts';
import type { StartLocalnetOptions } from './start-options.ts';

/** The flag of each option; true if it may be repeated. */
const FLAGS: Readonly<Record<keyof StartLocalnetOptions, readonly ['once' | 'repeated', string]>> = {
  bindAddress: ['once', 'bind-address'],
  rpcPort: ['once', 'rpc-port'],
  slotMs: ['once', 'slot-ms'],
  consensus: ['once', 'consensus'],
  finalitySlots: ['once', 'finality-slots'],
  lamportsPerByte: ['once', 'lamports-per-byte'],
  slotsPerEpoch: ['once', 'slots-per-epoch'],
  historySlots: ['once', 'history-slots'],
  historyTransactions: ['once', 'history-transactions'],
  limitLedgerSize: ['once', 'limit-ledger-size'],
  limitBlockstoreSize: ['once', 'limit-blockstore-size'],
  ledger: ['once', 'ledger'],
  reset: ['once', 'reset'],
  account: ['repeated', 'account'],
  accountDir: ['repeated', 'account-dir'],
  bpfProgram: ['repeated', 'bpf-program'],
  upgradeableProgram: ['repeated', 'upgradeable-program'],
  clone: ['repeated', 'clone'],
  maybeClone: ['repeated', 'maybe-clone'],
  cloneUpgradeableProgram: ['repeated', 'clone-upgradeable-program'],
  url: ['once', 'url'],
  fork: ['once', 'fork'],
  cassette: ['once', 'cassette'],
  mint: ['once', 'mint'],
  faucetSol: ['once', 'faucet-sol'],
  warpSlot: ['once', 'warp-slot'],
  computeUnitLimit: ['once', 'compute-unit-limit'],
  feature: ['repeated', 'feature'],
  deactivateFeature: ['repeated', 'deactivate-feature'],
  votes: ['once', 'votes'],
  cheatCodes: ['once', 'cheat-codes'],
  snapshotDir: ['once', 'snapshot-dir'],
  log: ['once', 'log'],
};

/** Reads the options of `startLocalnet`. @throws ServiceError invalidConfig naming the option as a flag. */
export function readStartOptions(options: StartLocalnetOptions): LocalnetOptions {
  if (!isObject(options)) throw optionProblem('the options of startLocalnet are not an object');
  const values: Record<string, string | boolean> = { 'rpc-port': '0' };
  const lists: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const [kind, flag] = flagOf(name);
    if (kind === 'repeated') lists[flag] = readList(name, value);
    else values[flag] = readValue(name, value);
  }
  if (options.votes === false) values['no-votes'] = true;
  return readLocalnetOptions(values, lists);
}

function flagOf(name: string): readonly [string, string] {
  const flag = Object.entries(FLAGS).find(([known]) => known === name)?.[1];
  if (flag === undefined) throw optionProblem(`startLocalnet has no option ${name}`);
  return flag;
}

const SWITCHES: ReadonlySet<string> = new Set(['reset', 'votes', 'cheatCodes', 'log']);

const TEXTS: ReadonlySet<string> = new Set([
  'bindAddress',
  'consensus',
  'ledger',
  'url',
  'fork',
  'cassette',
  'mint',
  'snapshotDir',
]);

function readValue(name: string, value: unknown): string | boolean {
  const type = typeof value;
  if (type === 'boolean' && SWITCHES.has(name)) return value as boolean;
  const isText = type === 'string' && (TEXTS.has(name) || name === 'faucetSol');
  const isNumber = (type === 'number' || type === 'bigint') && !TEXTS.has(name) && !SWITCHES.has(name);
  if (isText || isNumber) return String(value);
  const expected = SWITCHES.has(name) ? 'boolean' : TEXTS.has(name) ? 'string' : 'number';
  throw optionProblem(`the option ${name} of startLocalnet is not a ${expected}`);
}

/** Number of values in an entry of these options. */
const ENTRIES: Readonly<Record<string, number>> = { account: 2, bpfProgram: 2, upgradeableProgram: 3 };

function readList(name: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw optionProblem(`the option ${name} of startLocalnet is not an array`);
  const size = ENTRIES[name];
  const isWhole = (entry: unknown): boolean => Array.isArray(entry) && entry.length === size;
  if (size !== undefined && !value.every(isWhole))
    throw optionProblem(`an entry of the option ${name} of startLocalnet is not an array of ${size}`);
  return value.flat().map(String);
}
