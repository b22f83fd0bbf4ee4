import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBase58, encodeBase58 } from '../bytes/base58.ts';
import type { FeatureChanges } from '../genesis/genesis-additions.ts';
import { type Consensus, isConsensus } from '../consensus.ts';
import { type EpochLengths, epochLengthsJson, readEpochLengths } from '../epoch/epoch-lengths.ts';
import type { ForkOrigin } from '../fork/fork-origin.ts';
import { isObject } from '../genesis-options/account-json.ts';
import { makeDirectory } from './make-directory.ts';
import { errorKind, optionProblem } from '../genesis-options/option-problem.ts';

/** The parameters that a ledger on disk began with; only a restore changes them. Time in Unix seconds. */
export type Manifest = {
  readonly genesisHash: Uint8Array;
  readonly genesisTime: bigint;
  readonly faucetLamports: bigint;
  readonly slotsPerEpoch: number;
  /** The epochs of a fork's node; undefined: each epoch has `slotsPerEpoch`. */
  readonly epochs?: EpochLengths | undefined;
  readonly lamportsPerByte: number;
  readonly features: FeatureChanges | undefined;
  /** `tower` for a ledger from before there was a choice. */
  readonly consensus: Consensus;
  /** Undefined: not a fork. */
  readonly fork: ForkOrigin | undefined;
  /** Number of restores, which names the branch with the current files of the ledger. */
  readonly branch: number;
};

const FORMAT = 'keyslot localnet 1';
const NAME = 'ledger.json';
/** Everything that a ledger writes into its folder, and nothing else. */
const OWN_FILES =
  /^(?:ledger\.json|lock(?:\.[\w-]+)*|slots-\d+\.log|accounts-\d+\.bin|branch-\d+|[a-z-]+-keypair\.json|.*\.tmp)$/;
/** The lock that was just taken. */
const LOCK = /^lock/;

/**
 * Creates the folder if it is missing, and reads the parameters of its ledger; undefined: the folder has no ledger.
 *
 * @throws ServiceError invalidConfig: the folder cannot be written, or holds something else or a ledger of another format.
 */
export function openManifest(directory: string, reset: boolean): Manifest | undefined {
  const path = join(directory, NAME);
  const present = namesIn(directory);
  const isLedger = existsSync(path);
  const foreign = present.find((name) => !OWN_FILES.test(name));
  if (!isLedger && foreign !== undefined)
    throw optionProblem(
      `--ledger: ${directory} is not a ledger of this program: it contains ${foreign}; name another directory`,
    );
  if (isLedger && !reset) return readManifest(directory, path);
  // The manifest is deleted first and written last: a folder without it was not finished.
  rmSync(path, { force: true });
  for (const name of present)
    if (OWN_FILES.test(name) && !LOCK.test(name))
      rmSync(join(directory, name), { force: true, recursive: true });
  return undefined;
}

/** Makes a directory for a ledger, open to its user alone. @throws ServiceError invalidConfig. */
export function makeLedgerDirectory(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    throw optionProblem(`--ledger: ${directory} cannot be created (${errorKind(error)})`, error);
  }
}

/** Writes the parameters of a new ledger; the file appears as a whole and survives a power loss. */
export function writeManifest(directory: string, manifest: Manifest): void {
  const path = join(directory, NAME);
  const { genesisHash, genesisTime, faucetLamports, slotsPerEpoch, lamportsPerByte } = manifest;
  const { features, consensus, epochs, fork, branch } = manifest;
  const text = JSON.stringify({
    format: FORMAT,
    genesisHash: encodeBase58(genesisHash),
    genesisTime: String(genesisTime),
    faucetLamports: String(faucetLamports),
    slotsPerEpoch,
    lamportsPerByte,
    features,
    consensus,
    ...(epochs === undefined ? {} : { epochs: epochLengthsJson(epochs) }),
    ...(fork === undefined ? {} : { fork: { genesisHash: fork.genesisHash, slot: String(fork.slot) } }),
    ...(branch === 0 ? {} : { branch }),
  });
  writeFileSync(`${path}.tmp`, `${text}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.tmp`, path);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    throw optionProblem(`--ledger: ${directory} cannot be read (${errorKind(error)})`, error);
  }
}

function readManifest(directory: string, path: string): Manifest {
  const remedy = '--reset deletes it and starts a new ledger';
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw optionProblem(`--ledger: ${path} cannot be read (${errorKind(error)}); ${remedy}`, error);
  }
  const manifest = isObject(json) && json.format === FORMAT ? parseManifest(json) : undefined;
  if (manifest !== undefined) return manifest;
  const format = isObject(json) && typeof json.format === 'string' ? `"${json.format}"` : 'unknown';
  throw optionProblem(
    `--ledger: the ledger in ${directory} has the format ${format}, expected "${FORMAT}"; ${remedy}`,
  );
}

function parseManifest(json: Readonly<Record<string, unknown>>): Manifest | undefined {
  const { genesisHash, genesisTime, faucetLamports, slotsPerEpoch, lamportsPerByte, features } = json;
  const { consensus = 'tower' } = json;
  const isWhole =
    typeof genesisHash === 'string' &&
    typeof genesisTime === 'string' &&
    typeof faucetLamports === 'string' &&
    typeof slotsPerEpoch === 'number' &&
    typeof lamportsPerByte === 'number' &&
    isConsensus(consensus);
  const epochs = readEpochLengths(json.epochs);
  if (!isWhole || (json.epochs !== undefined && epochs === undefined)) return undefined;
  return {
    genesisHash: decodeBase58(genesisHash),
    genesisTime: BigInt(genesisTime),
    faucetLamports: BigInt(faucetLamports),
    slotsPerEpoch,
    lamportsPerByte,
    features: features as FeatureChanges | undefined,
    consensus,
    epochs,
    fork: parseFork(json.fork),
    branch: typeof json.branch === 'number' ? json.branch : 0,
  };
}

function parseFork(fork: unknown): ForkOrigin | undefined {
  const { genesisHash, slot } = isObject(fork) ? fork : {};
  return typeof genesisHash === 'string' && typeof slot === 'string'
    ? { genesisHash, slot: BigInt(slot) }
    : undefined;
}
