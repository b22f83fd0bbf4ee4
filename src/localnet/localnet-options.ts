import { parseArgs } from 'node:util';
import { CONFIG_INTEGERS } from '../../generated/config.ts';
import { LOCALNET_OPTION_NAMES, towerSetting, WITHOUT_TOWER } from '../core/config/localnet-settings.ts';
import { serviceError } from '../core/service-error.ts';
import { type Consensus, isConsensus } from './consensus.ts';
import type { GivenFork } from './fork/open-fork.ts';
import { optionProblem } from './genesis-options/option-problem.ts';
import type { SnapshotSettings } from './ledger-state.ts';
import type { FeatureChanges } from './genesis/genesis-additions.ts';
import {
  type GivenGenesis,
  type OptionLists,
  readFeatureChanges,
} from './genesis-options/genesis-options.ts';

/** The options of the embedded ledger. */
export type LocalnetOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly rpcPort: number;
  readonly slotMs: number;
  /** Undefined: the default, or that of the existing ledger. */
  readonly consensus: Consensus | undefined;
  readonly finalitySlots: number | undefined;
  readonly lamportsPerByte: number;
  readonly historySlots: number;
  readonly historyTransactions: number;
  readonly slotsPerEpoch: number;
  /** Under `tower`: the validator votes by transactions. */
  readonly votes: boolean;
  /** The cheat codes are served. */
  readonly cheatCodes: boolean;
  readonly warpSlot: bigint | undefined;
  readonly computeUnitLimit: bigint | undefined;
  readonly features: FeatureChanges | undefined;
  readonly genesis: GivenGenesis;
  readonly snapshots: SnapshotSettings;
  /** The source of accounts that are touched for the first time. */
  readonly forkOf: GivenFork;
  /** The names of the options that were given, without the dashes. */
  readonly given: ReadonlySet<string>;
  /** The directory of the ledger; undefined: in memory. */
  readonly ledger: string | undefined;
  /** Delete the ledger in that folder first. */
  readonly reset: boolean;
  /** Print each transaction with its logs. */
  readonly log: boolean;
  /** Print nothing but errors. */
  readonly quiet: boolean;
  /** Announce as JSON instead of text. */
  readonly json: boolean;
};

type OptionValues = Readonly<Record<string, string | boolean | undefined>>;
type Bounds = { readonly default: number; readonly minimum: number; readonly maximum: number };

/** A validator's own port, and the settings of the embedded ledger with the bounds of spec/config.yaml. */
const NUMBERS = {
  'rpc-port': { ...CONFIG_INTEGERS['http.port'], default: 8899 },
  'slot-ms': CONFIG_INTEGERS['localnet.slot_ms'],
  'lamports-per-byte': CONFIG_INTEGERS['localnet.lamports_per_byte'],
  'slots-per-epoch': CONFIG_INTEGERS['localnet.slots_per_epoch'],
  'history-slots': CONFIG_INTEGERS['localnet.history_slots'],
  'history-transactions': CONFIG_INTEGERS['localnet.history_transactions'],
} as const satisfies Readonly<Record<string, Bounds>>;

/** Options without a default. The largest slot leaves room for every slot and epoch that can follow it. */
const OPTIONAL_NUMBERS = {
  'finality-slots': CONFIG_INTEGERS['localnet.finality_slots'],
  'warp-slot': { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  'compute-unit-limit': { minimum: 1, maximum: 1_000_000_000 },
  'max-compute-units': { minimum: 1, maximum: 1_000_000_000 },
  'limit-ledger-size': { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  'limit-blockstore-size': { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
} as const satisfies Readonly<Record<string, Omit<Bounds, 'default'>>>;

/** Parses the arguments of `keyslot localnet`. @throws ServiceError invalidConfig. */
export function parseLocalnetArguments(args: readonly string[]): LocalnetOptions {
  const text = { type: 'string' } as const;
  const options = {
    ...Object.fromEntries(['rpc-port', 'host', ...LOCALNET_OPTION_NAMES].map((name) => [name, text])),
    json: { type: 'boolean' },
    ledger: text,
    'no-votes': { type: 'boolean' },
    votes: { type: 'boolean' },
    'cheat-codes': { type: 'boolean' },
  } as const;
  try {
    return readLocalnetOptions(parseArgs({ args: [...args], options, strict: true }).values);
  } catch (error) {
    if (error instanceof TypeError)
      throw serviceError('invalidConfig', { problems: `localnet: ${error.message}` }, error);
    throw error;
  }
}

/** Reads the options of `keyslot localnet`; `lists` has those that may be repeated. @throws ServiceError invalidConfig. */
export function readLocalnetOptions(values: OptionValues, lists: OptionLists = {}): LocalnetOptions {
  const { host, json, log, quiet } = values;
  const features = readFeatureChanges(lists);
  const isChanged = features.activated.length > 0 || features.deactivated.length > 0;
  return {
    host: textOf(host) ?? textOf(values['bind-address']) ?? '127.0.0.1',
    rpcPort: readNumber('rpc-port', values),
    slotMs: readNumber('slot-ms', values),
    consensus: readConsensus(values),
    finalitySlots:
      values['finality-slots'] === undefined
        ? undefined
        : Number(readOptionalNumber('finality-slots', values)),
    lamportsPerByte: readNumber('lamports-per-byte', values),
    historySlots: readNumber('history-slots', values),
    historyTransactions: readHistoryTransactions(values),
    votes: readVotes(values),
    cheatCodes: values['cheat-codes'] === true,
    slotsPerEpoch: readNumber('slots-per-epoch', values),
    warpSlot: readOptionalNumber('warp-slot', values),
    computeUnitLimit: readComputeUnitLimit(values),
    features: isChanged ? features : undefined,
    genesis: {
      lists,
      mint: textOf(values.mint),
      faucetSol: textOf(values['faucet-sol']),
      url: textOf(values.url),
    },
    snapshots: { directory: textOf(values['snapshot-dir']) },
    forkOf: { url: textOf(values.fork), cassette: textOf(values.cassette) },
    given: new Set(Object.keys(values).filter((name) => values[name] !== undefined)),
    ledger: ledgerFolder(values),
    reset: values.reset === true,
    log: log === true,
    quiet: quiet === true,
    json: json === true,
  };
}

function ledgerFolder({ ledger, ephemeral, reset }: OptionValues): string | undefined {
  if (ephemeral === true && ledger !== undefined)
    throw optionProblem('--ephemeral keeps nothing, and --ledger names a directory to keep the ledger in');
  if (reset === true && ledger === undefined)
    throw optionProblem('--reset deletes the ledger of a directory: name it with --ledger');
  return textOf(ledger);
}

/** The test validator's limit is a number of shreds. Here each shred counts as a transaction. */
function readHistoryTransactions(values: OptionValues): number {
  const names = ['history-transactions', 'limit-ledger-size', 'limit-blockstore-size'] as const;
  const given = names.filter((name) => values[name] !== undefined);
  if (given.length > 1)
    throw optionProblem(`${given.map((name) => `--${name}`).join(' and ')} cannot be used together`);
  const shreds =
    readOptionalNumber('limit-ledger-size', values) ?? readOptionalNumber('limit-blockstore-size', values);
  if (shreds === undefined) return readNumber('history-transactions', values);
  const { minimum, maximum } = NUMBERS['history-transactions'];
  return Math.max(minimum, Math.min(Number(shreds), maximum));
}

function readComputeUnitLimit(values: OptionValues): bigint | undefined {
  const limit = readOptionalNumber('compute-unit-limit', values);
  const byOlderName = readOptionalNumber('max-compute-units', values);
  if (limit !== undefined && byOlderName !== undefined)
    throw optionProblem('--compute-unit-limit and --max-compute-units cannot be used together');
  return limit ?? byOlderName;
}

/** An option that exists only under tower selects tower. */
function readConsensus(values: OptionValues): Consensus | undefined {
  const { consensus, alpenglow, votes, 'finality-slots': finalitySlots } = values;
  if (consensus !== undefined && !isConsensus(consensus))
    throw optionProblem(`--consensus ${consensus} is neither alpenglow nor tower`);
  if (alpenglow === true && consensus === 'tower')
    throw optionProblem('--alpenglow and --consensus tower cannot be used together');
  const named = alpenglow === true ? 'alpenglow' : consensus;
  const ofTower = towerSetting({
    votes: votes === true,
    ...(finalitySlots === undefined ? {} : { finality_slots: Number(finalitySlots) }),
  });
  if (named === 'alpenglow' && ofTower !== undefined)
    throw optionProblem(`--${ofTower.replace('_', '-')} needs --consensus tower: ${WITHOUT_TOWER}`);
  return named ?? (ofTower === undefined ? undefined : 'tower');
}

function readVotes(values: OptionValues): boolean {
  const isOff = values['no-votes'] === true;
  if (isOff && values.votes === true) throw optionProblem('--votes and --no-votes cannot be used together');
  return !isOff;
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readOptionalNumber(name: keyof typeof OPTIONAL_NUMBERS, values: OptionValues): bigint | undefined {
  return values[name] === undefined
    ? undefined
    : BigInt(parseNumber(name, values[name], OPTIONAL_NUMBERS[name]));
}

function readNumber(name: keyof typeof NUMBERS, values: OptionValues): number {
  const text = values[name];
  return text === undefined ? NUMBERS[name].default : parseNumber(name, text, NUMBERS[name]);
}

function parseNumber(
  name: string,
  text: string | boolean,
  { minimum, maximum }: Omit<Bounds, 'default'>,
): number {
  const number = Number(text);
  if (typeof text === 'string' && /^\d+$/.test(text) && number >= minimum && number <= maximum) return number;
  throw serviceError('invalidConfig', {
    problems: `localnet: --${name} ${text} is not a whole number from ${minimum} to ${maximum}`,
  });
}
