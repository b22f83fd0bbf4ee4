import { join } from 'node:path';
import { rm, open } from 'node:fs/promises';
import { constants } from 'node:fs';
import type { Logger } from 'pino';
import { askAdmin, isServed } from '../admin/ask-admin.ts';
import { COPY_DIRECTORY } from '../admin/copy-store.ts';
import { serviceError } from '../../core/service-error.ts';
import { AsyncDisposableStack } from '../../core/disposable-stack.ts';
import { waitForLock } from '../admin/wait-for-lock.ts';
import { type CopySource, openCopySource } from '../../store/copy/copy-source.ts';
import { takeDraftDirectory } from '../../store/copy/draft-directory.ts';
import { acquireLock, releaseLock } from '../../store/lock-file.ts';
import { hasStore, type StoreOptions } from '../../store/open-store.ts';
import { type BackupLine, BACKUP_FORMAT, type FileLine } from './backup-line.ts';

/** The part of an installation that the gateway's user reads: everything but the signer's files. */
export type DumpJob = {
  readonly store: StoreOptions;
  readonly headsFile: string;
  /** True if the installation key is kept elsewhere, by the setting `installation_key_file`. */
  readonly hasKeyApart: boolean;
  readonly version: string;
  readonly atMs: number;
};

const COPY_DEADLINE_MS = 60_000;

/**
 * Reads an installation while its server runs: audit heads first, then the store as of one later moment, so that the rows include
 * every record that a head covers.
 *
 * @throws ServiceError `copyRefused`, `storeUnavailable`, `dataDirectoryLocked`, `adminFailed`.
 */
export async function* dumpLines(
  { store, headsFile, hasKeyApart, version, atMs }: DumpJob,
  log: Logger,
): AsyncGenerator<BackupLine> {
  const { dataDir } = store;
  yield { kind: 'backup', format: BACKUP_FORMAT, version, made_at: new Date(atMs).toISOString() };
  yield* fileLines({ path: headsFile, name: 'audit-heads.jsonl', isLines: true });
  if (!hasKeyApart) yield* fileLines({ path: join(dataDir, 'installation.key'), name: 'installation.key' });
  yield* fileLines({ path: join(dataDir, 'dev.json'), name: 'dev.json' });
  await using opened = new AsyncDisposableStack();
  const source = await openSource(store, opened, log);
  yield { kind: 'store', store: source.kind, migrations: source.migrations };
  for await (const page of source.pages()) yield { kind: 'rows', ...page };
}

/** The files of an embedded store that a server uses are copied by that server. */
async function openSource(
  store: StoreOptions,
  opened: AsyncDisposableStack,
  log: Logger,
): Promise<CopySource> {
  const attempt = async (): Promise<CopySource> => {
    if (!hasStore(store) && !(await isServed(store.dataDir)))
      throw serviceError('copyRefused', { where: store.dataDir, reason: 'there is no store to back up' });
    const isCopied = store.databaseUrl === undefined && (await isServed(store.dataDir));
    const place = isCopied ? { dataDir: await copyServed(store.dataDir, opened) } : store;
    return openCopySource(place, log);
  };
  const source = await waitForLock(attempt, { onWait: (reason) => log.warn(`${reason}; waiting for it`) });
  opened.defer(source.close);
  return source;
}

async function copyServed(dataDir: string, opened: AsyncDisposableStack): Promise<string> {
  const directory = join(dataDir, COPY_DIRECTORY);
  await takeDraftDirectory(directory);
  opened.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const lock = await acquireLock(directory);
  const asked = askAdmin(dataDir, { kind: 'store.copy' }, COPY_DEADLINE_MS);
  const answer = await asked.finally(() => releaseLock(lock));
  if (answer === undefined)
    throw serviceError('dataDirectoryLocked', { path: dataDir, holder: 'a server that is stopping' });
  return directory;
}

const PART_BYTES = 512 * 1024;

export type FileSource = {
  readonly path: string;
  /** Its name in the backup. */
  readonly name: string;
  /** The user that it has to belong to; undefined: any. */
  readonly uid?: number | undefined;
  /** Lines are appended to it meanwhile: an unfinished one is left out. */
  readonly isLines?: true;
};

/**
 * Reads a file as of about its opening; yields nothing if it does not exist. Later additions are left out.
 *
 * @throws ServiceError `copyRefused` if it is a link, not a file, or not owned by that user.
 */
export async function* fileLines({ path, name, uid, isLines }: FileSource): AsyncGenerator<FileLine> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw refuse(path, error.message, error);
    },
  );
  if (file === undefined) return;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw refuse(path, 'it is not a file');
    if (uid !== undefined && found.uid !== uid)
      throw refuse(path, `it belongs to user ${found.uid}, not to ${uid}`);
    const front = Buffer.alloc(Math.min(PART_BYTES, found.size));
    await readAll(file, front, 0, path);
    // The record of destroyed keys begins with their number: everything it counts is in the file by now.
    const { size } = await file.stat();
    const end = isLines ? await lastLineEnd(file, size) : size;
    yield { kind: 'file', name, data: front.toString('base64', 0, Math.min(front.length, end)) };
    front.fill(0);
    for (let at = front.length; at < end; at += PART_BYTES) {
      const part = Buffer.alloc(Math.min(PART_BYTES, end - at));
      await readAll(file, part, at, path);
      yield { kind: 'file', name, data: part.toString('base64') };
      part.fill(0);
    }
  } finally {
    await file.close();
  }
}

type OpenFile = Awaited<ReturnType<typeof open>>;

async function readAll(file: OpenFile, part: Buffer, at: number, path: string): Promise<void> {
  for (let read = 0; read < part.length; ) {
    const { bytesRead } = await file.read(part, read, part.length - read, at + read);
    if (bytesRead === 0) throw refuse(path, 'it became shorter while it was read');
    read += bytesRead;
  }
}

/** The position after the last line end. */
async function lastLineEnd(file: OpenFile, size: number): Promise<number> {
  const part = Buffer.alloc(PART_BYTES);
  for (let end = size; end > 0; end -= PART_BYTES) {
    const from = Math.max(0, end - PART_BYTES);
    const { bytesRead } = await file.read(part, 0, end - from, from);
    const at = part.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (at >= 0) return from + at + 1;
  }
  return 0;
}

function refuse(where: string, reason: string, cause?: unknown): Error {
  return serviceError('copyRefused', { where, reason }, cause);
}
