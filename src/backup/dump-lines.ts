import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { askAdmin, isServed } from '../admin/ask-admin.ts';
import { COPY_DIRECTORY } from '../admin/copy-store.ts';
import { serviceError } from '../base/service-error.ts';
import { waitForLock } from '../admin/wait-for-lock.ts';
import { type CopySource, openCopySource } from '../store/copy/copy-source.ts';
import { takeDraftDirectory } from '../store/copy/draft-directory.ts';
import { acquireLock, releaseLock } from '../store/lock-file.ts';
import { hasStore, type StoreOptions } from '../store/open-store.ts';
import { type BackupLine, BACKUP_FORMAT } from './backup-line.ts';
import { fileLines } from './file-lines.ts';

/** What is read by the gateway's user: everything but the signer's files. */
export type DumpJob = {
  readonly store: StoreOptions;
  readonly headsFile: string;
  /** True where the installation key is kept apart, by the setting `installation_key_file`. */
  readonly hasKeyApart: boolean;
  readonly version: string;
  readonly atMs: number;
};

const COPY_DEADLINE_MS = 60_000;

/**
 * Reads an installation while its server runs: heads of the audit log first, then the store as it is at one later moment. So every record that
 * a head covers is among the rows.
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
