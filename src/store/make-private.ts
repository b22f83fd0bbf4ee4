import { chmodSync, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { serviceError } from '../core/service-error.ts';

const OTHERS = 0o077;
const ROOT = 0;

/**
 * Removes other users' access to a directory and everything below it: directories become 0700, files 0600, whatever user created them. A
 * directory is changed before its contents, so that nobody can exchange those meanwhile. Entries named in `except` are left alone.
 *
 * @returns the number of entries that were open to others before.
 * @throws ServiceError `dataDirectoryNotPrivate`, naming the first entry that belongs to another user, is a symbolic link, or stays open.
 */
export function makePrivate(directory: string, except: ReadonlySet<string> = new Set()): number {
  const found = lstatSync(directory);
  if (!isTrusted(found.uid)) throw refuse(directory, found, 'it belongs to another user');
  // This user is in the directory, but may lack access to the parents of its real path.
  return narrow(found.isSymbolicLink() ? realpathSync(directory) : directory, except);
}

function narrow(path: string, except: ReadonlySet<string>): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // A file of a process that has ended meanwhile.
  if (found === undefined) return 0;
  if (found.isSymbolicLink()) throw refuse(path, found, 'it is a symbolic link');
  if (!isTrusted(found.uid)) throw refuse(path, found, 'it belongs to another user');
  const isOpen = (found.mode & OTHERS) !== 0;
  if (isOpen) close(path, found);
  if (!found.isDirectory() || !isOwn(found.uid)) return Number(isOpen);
  return readdirSync(path)
    .filter((name) => !except.has(name))
    .reduce((count, name) => count + narrow(join(path, name), new Set()), Number(isOpen));
}

/** A file system without modes accepts the change and stays as it is. */
function close(path: string, found: Stats): void {
  let reason = 'the file system does not support file modes';
  try {
    chmodSync(path, found.isDirectory() ? 0o700 : 0o600);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (now !== undefined && (now.mode & OTHERS) !== 0) throw refuse(path, now, reason);
}

/** Root can read everything anyway. Windows has no such owners. */
function isTrusted(uid: number): boolean {
  return process.geteuid === undefined || uid === ROOT || isOwn(uid);
}

function isOwn(uid: number): boolean {
  return process.geteuid === undefined || uid === process.geteuid();
}

function refuse(path: string, { mode, uid }: Stats, reason: string): Error {
  return serviceError('dataDirectoryNotPrivate', {
    path,
    mode: (mode & 0o7777).toString(8).padStart(4, '0'),
    owner: uid,
    user: process.geteuid?.() ?? uid,
    reason,
  });
}
