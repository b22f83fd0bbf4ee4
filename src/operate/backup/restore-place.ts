import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ServiceError, serviceError } from '../../core/service-error.ts';
import { syncDirectory } from '../../signer/files/write-durably.ts';
import { prepareDataDirectory } from '../../store/data-directory.ts';
import { takeDraftDirectory } from '../../store/copy/draft-directory.ts';
import { RESTORE_AGAIN, RESTORING } from '../../store/unfinished-restore.ts';
import type { SystemUser } from '../../core/process/system-user.ts';

/** The draft directory of a restore, before its files move into place. */
export type RestorePlace = {
  /** A directory for this process alone, on the disk of the data directory. */
  readonly draft: string;
  /** @throws ServiceError `copyRefused` if the data directory is no longer empty. */
  readonly assertFree: () => Promise<void>;
  /** Moves the files of the draft into place. If it fails or is killed, no server starts on a part of them. */
  readonly publish: () => Promise<void>;
  /** Removes the draft. */
  readonly discard: () => Promise<void>;
};

type Users = { readonly gateway: SystemUser };

const OTHERS = 0o077;

/**
 * Reserves the draft of a restore. For a missing data directory it is created next to it, and renamed in one step. An existing directory
 * may be a mount point, which cannot be replaced and has another disk, often a read-only one, around it: its draft is inside.
 *
 * @throws ServiceError `copyRefused` if the directory is not empty, or this user cannot write to it or its parent; `dataDirectoryLocked`.
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
    `the data directory does not exist, and user ${process.geteuid?.() ?? ''} cannot create it in ${parent}: create it, empty and owned by the user of the server, or name another one`,
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
      `an earlier restore was interrupted while it moved its files into place: ${RESTORE_AGAIN}`,
    );
  assertEmpty(dataDir, others(found));
  await refusing(
    dataDir,
    `user ${process.geteuid?.() ?? ''} cannot write to it: restore as the user that owns it`,
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

/** Closes the directory to other users. When root restores for two users, root owns it meanwhile, so that neither can replace its files. */
async function own(directory: FileHandle, dataDir: string, users: Users | undefined): Promise<void> {
  const { uid, mode } = await directory.stat();
  const user = process.geteuid?.() ?? uid;
  if (users !== undefined) await directory.chown(user, process.getegid?.() ?? 0);
  else if (uid !== user)
    throw refuse(
      dataDir,
      `it belongs to user ${uid}, but you are user ${user}: restore as the user that owns it`,
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

/** @returns undefined if the directory does not exist. */
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
      'the data directory is not empty, and restore never overwrites: move it away, or name another one',
    );
}

/** Turns system errors into one that says why, and what to do. */
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
