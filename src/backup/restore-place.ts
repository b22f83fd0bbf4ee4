import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ServiceError, serviceError } from '../base/service-error.ts';
import { syncDirectory } from '../signer/files/write-durably.ts';
import { prepareDataDirectory } from '../store/data-directory.ts';
import { takeDraftDirectory } from '../store/copy/draft-directory.ts';
import { RESTORE_AGAIN, RESTORING } from '../store/unfinished-restore.ts';
import type { SystemUser } from '../users/system-user.ts';

/** The place that the files of a restore are written to, before they get theirs. */
export type RestorePlace = {
  /** A directory for this process alone, on the disk of the data directory. */
  readonly draft: string;
  /** @throws ServiceError `copyRefused` if something else has come into the data directory. */
  readonly assertFree: () => Promise<void>;
  /** Gives the files of the draft their place. Where it fails or is killed, no server starts on a part of them. */
  readonly publish: () => Promise<void>;
  /** Removes the draft. */
  readonly discard: () => Promise<void>;
};

type Users = { readonly gateway: SystemUser };

const OTHERS = 0o077;

/**
 * Reserves the place for a restore. One for a data directory that does not exist is beside it, and gets its name in one step. One that exists
 * may be a mount point, which nothing can replace and beside which is another disk, often one that cannot be written: its draft is in it.
 *
 * @throws ServiceError `copyRefused` if the directory is not empty, or it or its parent cannot be written by this user; `dataDirectoryLocked`.
 */
export async function takeRestorePlace(dataDir: string, users: Users | undefined): Promise<RestorePlace> {
  const entries = await entriesOf(dataDir);
  return entries === undefined ? takeBeside(dataDir) : takeInside(dataDir, entries, users);
}

async function takeBeside(dataDir: string): Promise<RestorePlace> {
  const draft = `${dataDir}.restoring`;
  const parent = dirname(dataDir);
  await refusing(
    dataDir,
    `the data directory does not exist, and cannot be made in ${parent} by user ${process.geteuid?.() ?? ''}: create it, empty and of the user of the server, or name another one`,
    async () => {
      await prepareDataDirectory(parent);
      await takeDraftDirectory(draft);
    },
  );
  return {
    draft,
    assertFree: async () => assertEmpty(dataDir, (await entriesOf(dataDir)) ?? []),
    publish: async () => {
      await rename(draft, dataDir);
      await syncDirectory(parent);
    },
    discard: () => rm(draft, { recursive: true, force: true }),
  };
}

async function takeInside(
  dataDir: string,
  found: readonly string[],
  users: Users | undefined,
): Promise<RestorePlace> {
  const draft = join(dataDir, RESTORING);
  const others = (entries: readonly string[] | undefined): readonly string[] =>
    (entries ?? []).filter((name) => name !== RESTORING);
  if (found.includes(RESTORING) && others(found).length > 0)
    throw refuse(
      dataDir,
      `an earlier restore was interrupted while its files got their place: ${RESTORE_AGAIN}`,
    );
  assertEmpty(dataDir, others(found));
  await refusing(
    dataDir,
    `user ${process.geteuid?.() ?? ''} cannot write to it: restore as the user that it belongs to`,
    async () => {
      await withDirectory(dataDir, (directory) => own(directory, dataDir, users));
      await takeDraftDirectory(draft);
    },
  );
  const assertFree = async (): Promise<void> => assertEmpty(dataDir, others(await entriesOf(dataDir)));
  return {
    draft,
    assertFree,
    publish: async () => {
      for (const name of await readdir(draft)) await rename(join(draft, name), join(dataDir, name));
      await syncDirectory(dataDir);
      if (users !== undefined)
        await withDirectory(dataDir, (directory) => directory.chown(users.gateway.uid, users.gateway.gid));
      await rmdir(draft);
      await syncDirectory(dataDir);
    },
    discard: () => rm(draft, { recursive: true, force: true }),
  };
}

/** Closes the directory to others. Where root restores for two users it is root's meanwhile, so that neither can exchange what is in it. */
async function own(directory: FileHandle, dataDir: string, users: Users | undefined): Promise<void> {
  const { uid, mode } = await directory.stat();
  const user = process.geteuid?.() ?? uid;
  if (users !== undefined) await directory.chown(user, process.getegid?.() ?? 0);
  else if (uid !== user)
    throw refuse(
      dataDir,
      `it belongs to user ${uid}, and would be restored by user ${user}: restore as the user that it belongs to`,
    );
  if ((mode & OTHERS) !== 0) await directory.chmod(0o700);
}

async function withDirectory(path: string, act: (directory: FileHandle) => Promise<void>): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await act(directory);
  } finally {
    await directory.close();
  }
}

/** @returns undefined if there is no such directory. */
async function entriesOf(dataDir: string): Promise<readonly string[] | undefined> {
  return readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw refuse(dataDir, error.message);
  });
}

function assertEmpty(dataDir: string, entries: readonly string[]): void {
  if (entries.length > 0)
    throw refuse(
      dataDir,
      'the data directory is not empty, and nothing is overwritten: move it away, or name another one',
    );
}

/** Turns errors of the system into one that says why and what to do. */
async function refusing(where: string, remedy: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw refuse(where, `${remedy} (${error instanceof Error ? error.message : String(error)})`, error);
  }
}

function refuse(where: string, reason: string, cause?: unknown): Error {
  return serviceError('copyRefused', { where, reason }, cause);
}
