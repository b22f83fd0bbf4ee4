import { setTimeout as delay } from 'node:timers/promises';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../core/service-error.ts';
import { finalitySlotsUnder } from '../consensus.ts';
import { acquireLock, type Lock, releaseLock } from '../../store/lock-file.ts';
import { branchFolder, deleteOtherBranches } from './branch-folders.ts';
import { makeLedgerDirectory, type Manifest, openManifest } from './manifest.ts';
import { optionProblem } from '../genesis-options/option-problem.ts';
import type { AccountChange } from './account-bytes.ts';
import type { ChainBase } from './chain-base.ts';
import {
  cutSegment,
  readSegment,
  type Segment,
  segmentBases,
  segmentPath,
  snapshotSlots,
  readSnapshot,
  readSlot,
  type SlotRecord,
} from './segments.ts';

/** A ledger as it was found in its folder. */
export type StoredLedger = { readonly manifest: Manifest; readonly chain: StoredChain };

/** A folder that only this process uses. */
export type LedgerFolder = {
  readonly directory: string;
  /** Undefined: the folder has no ledger yet. */
  readonly stored: StoredLedger | undefined;
  readonly release: () => Promise<void>;
};

export type FolderOptions = {
  readonly directory: string;
  /** Delete the existing ledger. */
  readonly reset: boolean;
  /** Under `tower`. */
  readonly finalitySlots: number | undefined;
  /** Set: wait for the process that has the folder until this is aborted. Absent: throw an error that names it. */
  readonly waitUntil?: AbortSignal | undefined;
};

const RETRY_MS = 100;

/**
 * Takes a folder for a ledger, and reads the one in it.
 *
 * @throws ServiceError dataDirectoryLocked naming the process that has it; invalidConfig as openManifest and readChain.
 */
export async function openLedgerFolder(options: FolderOptions): Promise<LedgerFolder> {
  const { directory, reset, finalitySlots } = options;
  makeLedgerDirectory(directory);
  const lock = await lockFolder(directory, options.waitUntil);
  try {
    const manifest = openManifest(directory, reset);
    deleteUnfinished(directory);
    const stored = manifest === undefined ? undefined : readLedger(directory, manifest, finalitySlots);
    return { directory, stored, release: () => releaseLock(lock) };
  } catch (error) {
    await releaseLock(lock);
    throw error;
  }
}

/** Deletes branches that were abandoned or not finished. */
function readLedger(directory: string, manifest: Manifest, finalitySlots: number | undefined): StoredLedger {
  const { branch, consensus } = manifest;
  deleteOtherBranches(directory, branch);
  const folder = branchFolder(directory, branch);
  deleteUnfinished(folder);
  return { manifest, chain: readChain(folder, BigInt(finalitySlotsUnder(consensus, finalitySlots))) };
}

function deleteUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith('.tmp')) rmSync(join(folder, name));
}

async function lockFolder(directory: string, waitUntil: AbortSignal | undefined): Promise<Lock> {
  for (;;) {
    try {
      return await acquireLock(directory);
    } catch (error) {
      const isLocked = error instanceof ServiceError && error.code === 'dataDirectoryLocked';
      if (!isLocked || waitUntil === undefined) throw error;
    }
    await delay(RETRY_MS, undefined, { signal: waitUntil });
  }
}

/** A chain as it was found on disk. */
export type StoredChain = {
  /** The slot before the first kept one. */
  readonly first: ChainBase;
  /** All accounts at the end of the base slot. */
  readonly accounts: readonly AccountChange[];
  readonly base: ChainBase;
  /** The kept slots, ascending; the accounts up to `base` are in `accounts` already. */
  readonly slots: () => Iterable<SlotRecord>;
  /** The segment that new slots are written to. */
  readonly open: { readonly base: bigint; readonly bytes: number };
  /** Damage that was found and skipped, as text. */
  readonly damage: readonly string[];
};

/**
 * Reads the chain of a folder: the newest complete state. A torn end of a file is cut off, and a file that does not follow the previous one
 * is skipped: of two parts with a gap between them, the newer one counts if it has a snapshot.
 *
 * @throws ServiceError invalidConfig: there is no complete state.
 */
function readChain(directory: string, finalitySlots: bigint): StoredChain {
  const damage: string[] = [];
  const segments = joinSegments(directory, damage);
  const [first, open] = [segments[0], segments.at(-1)];
  const state = segments.length === 0 ? undefined : newestState(directory, segments, finalitySlots);
  if (first === undefined || open === undefined || state === undefined)
    throw optionProblem(
      `--ledger: the ledger in ${directory} has no complete state; --reset deletes it and starts a new ledger`,
    );
  return {
    first: first.base,
    damage,
    ...state,
    slots: () => segments.values().flatMap(({ slots }) => slots.values().map(readSlot)),
    open: { base: open.base.slot, bytes: open.goodBytes },
  };
}

function joinSegments(directory: string, damage: string[]): readonly Segment[] {
  let joined: Segment[] = [];
  for (const number of segmentBases(directory)) {
    const segment = readSegment(directory, number);
    const path = segmentPath(directory, number);
    const before = joined.at(-1);
    if (segment === undefined) {
      damage.push(`${path} cannot be read and was deleted`);
      rmSync(path);
      continue;
    }
    if (segment.isTorn) {
      damage.push(`${path} is torn after slot ${segment.last}`);
      cutSegment(segment);
    }
    if (before !== undefined && before.last !== segment.base.slot) {
      if (readSnapshot(directory, segment.base.slot) === undefined) {
        damage.push(`${path} does not follow slot ${before.last} and was deleted`);
        rmSync(path);
        continue;
      }
      damage.push(`the slots up to ${segment.base.slot} are lost, but not their state`);
      for (const lost of joined) rmSync(lost.path);
      joined = [];
    }
    joined.push(segment);
  }
  return joined;
}

/** A snapshot from before the newest finalized slot, so that reads at every commitment stay the same; else the oldest one. */
function newestState(
  directory: string,
  segments: readonly Segment[],
  finalitySlots: bigint,
): Pick<StoredChain, 'accounts' | 'base'> | undefined {
  const tip = segments.at(-1)?.last ?? 0n;
  const candidates = snapshotSlots(directory).flatMap(
    (slot) => segments.find(({ base }) => base.slot === slot)?.base ?? [],
  );
  const isOld = ({ slot }: ChainBase): boolean => slot + finalitySlots + 1n <= tip;
  const ordered = [...candidates.filter(isOld), ...candidates.filter((base) => !isOld(base)).toReversed()];
  for (const base of ordered) {
    const accounts = readSnapshot(directory, base.slot);
    if (accounts !== undefined) return { base, accounts };
  }
  return undefined;
}
