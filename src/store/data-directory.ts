import { constants, statSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import { makePrivate } from './make-private.ts';

/** Belongs to the signer, which protects it itself. */
const OF_SIGNER = new Set(['signer']);

/**
 * Removes other users' access to the data directory and everything in it except the signer's, whatever user created it. Does nothing if it does
 * not exist.
 *
 * @throws ServiceError `dataDirectoryNotPrivate`.
 */
export function makeDataPrivate(dataDir: string, log: Pick<Logger, 'warn'>): void {
  if (!isDirectory(dataDir)) return;
  const count = makePrivate(dataDir, OF_SIGNER);
  if (count > 0)
    log.warn({ path: dataDir, count }, 'removed the access of other users to the data directory');
}

/**
 * Creates the data directory, readable by its owner only, and its missing parents. Does not use mkdir's `recursive`, which never returns
 * below /proc: nothing can be created there, and the error is ENOENT as for a missing parent.
 */
export async function prepareDataDirectory(dataDir: string): Promise<void> {
  const directory = resolve(dataDir);
  const parent = dirname(directory);
  const failure = await makeDirectory(directory);
  if (failure === undefined) return;
  if (failure.code !== 'ENOENT' || parent === directory) throw failure;
  await prepareDataDirectory(parent);
  const repeated = await makeDirectory(directory);
  if (repeated !== undefined) throw repeated;
}

/**
 * Checks what `prepareDataDirectory` needs, without creating anything: the directory, or the nearest one above it that exists, can be
 * written.
 */
export async function assertPreparable(dataDir: string, below?: string): Promise<void> {
  const directory = resolve(dataDir);
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found === undefined) return assertPreparable(dirname(directory), directory);
  if (!found.isDirectory())
    throw new Error(
      below === undefined
        ? `EEXIST: file already exists, mkdir '${directory}'`
        : `ENOTDIR: not a directory, mkdir '${below}'`,
    );
  await access(directory, constants.W_OK | constants.X_OK);
}

/** Undefined: the directory exists. */
async function makeDirectory(directory: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(directory, { mode: 0o700 });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return isDirectory(directory) ? undefined : error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
