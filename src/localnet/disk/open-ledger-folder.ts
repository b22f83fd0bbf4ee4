import { setTimeout as delay } from 'node:timers/promises';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../base/service-error.ts';
import { acquireLock, type Lock, releaseLock } from '../../store/lock-file.ts';
import { branchFolder, deleteOtherBranches } from './branch-folders.ts';
import { makeLedgerDirectory, type Manifest, openManifest } from './manifest.ts';
import { readChain, type StoredChain } from './read-chain.ts';

/** A ledger as it was found in its folder. */
export type StoredLedger = { readonly manifest: Manifest; readonly chain: StoredChain };

/** A folder that this process has to itself. */
export type LedgerFolder = {
  readonly directory: string;
  /** Undefined: a ledger begins here. */
  readonly stored: StoredLedger | undefined;
  readonly release: () => Promise<void>;
};

export type FolderOptions = {
  readonly directory: string;
  /** Delete the ledger that is there. */
  readonly reset: boolean;
  readonly finalitySlots: number;
  /** Given: wait for a process that has the folder, until this is aborted. Absent: it is named in the error. */
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
    const stored =
      manifest === undefined ? undefined : readLedger(directory, manifest, BigInt(finalitySlots));
    return { directory, stored, release: () => releaseLock(lock) };
  } catch (error) {
    await releaseLock(lock);
    throw error;
  }
}

/** A branch that was left, or was not finished, goes. */
function readLedger(directory: string, manifest: Manifest, finalitySlots: bigint): StoredLedger {
  const { branch } = manifest;
  deleteOtherBranches(directory, branch);
  const folder = branchFolder(directory, branch);
  deleteUnfinished(folder);
  return { manifest, chain: readChain(folder, finalitySlots) };
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
