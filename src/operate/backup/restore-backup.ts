import { createReadStream, existsSync } from 'node:fs';
import { chown, open, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { serviceError } from '../../core/service-error.ts';
import { syncDirectory } from '../../signer/files/write-durably.ts';
import { openDraftSchema } from '../../store/copy/draft-schema.ts';
import { compareMigrations, MIGRATIONS } from '../../store/migrate.ts';
import { openStore, type StoreOptions } from '../../store/open-store.ts';
import { RESTORE_AGAIN } from '../../store/unfinished-restore.ts';
import type { SystemUser } from '../../core/process/system-user.ts';
import { AsyncDisposableStack } from '../../core/disposable-stack.ts';
import type { BackupLine } from './backup-line.ts';
import { type Restored, restoreInto } from './restore-into.ts';
import { type RestorePlace, takeRestorePlace } from './restore-place.ts';
import { type CopyCheck, verifyCopy } from './verify-copy.ts';

export type RestoreOptions = {
  /** The path of the backup, for messages. */
  readonly file: string;
  readonly lines: AsyncIterable<BackupLine>;
  readonly store: StoreOptions;
  /** The setting `audit_heads_file`, if it names a file outside the data directory. */
  readonly headsFile: string | undefined;
  /** True: only the files of the data directory are restored, for a PostgreSQL database that still exists. */
  readonly isFilesOnly: boolean;
  /** The future owners of the files, if gateway and signer have their own users. */
  readonly users: { readonly gateway: SystemUser; readonly signer: SystemUser } | undefined;
  readonly log: Logger;
};

/** The result of `keyslot restore --json`. */
export type RestoreResult = {
  readonly data_dir: string;
  readonly store: 'pglite' | 'postgres';
  readonly made_at: string;
  /** The version that made the backup. */
  readonly version: string;
  /** True if its tables were migrated from an older version, which can no longer start on them. */
  readonly migrated: boolean;
  /** Rows of the backup; with `files_only` none was written. */
  readonly rows: number;
  readonly files_only: boolean;
  readonly checks: readonly CopyCheck[];
  /** True if an existing file of heads outside the data directory was kept. It may know more than the backup. */
  readonly kept_heads_file: boolean;
};

/**
 * Restores a backup into a missing or empty data directory and a new store. Everything is written to drafts, verified, and then
 * published: until then a server finds nothing to use. The next run removes the drafts of a killed one.
 *
 * @throws ServiceError `copyRefused` if the directory or the database is not empty, the directory cannot be written, or the backup has
 *   faults.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  const { file, lines, store, headsFile, isFilesOnly, users, log } = options;
  if (isFilesOnly && store.databaseUrl === undefined)
    throw refuse(
      store.dataDir,
      'without PostgreSQL in the settings, the store is among the files: restore without --files-only',
    );
  const dataDir = resolve(store.dataDir);
  await using opened = new AsyncDisposableStack();
  // Before the database is opened: an unwritable destination fails at once.
  const files = await takeRestorePlace(dataDir, users);
  const { draft } = files;
  let isPublished = false;
  opened.defer(async () => (isPublished ? undefined : files.discard()));
  const url = isFilesOnly ? undefined : store.databaseUrl;
  const schema = url === undefined ? undefined : await openDraftSchema(url);
  if (schema !== undefined) opened.defer(schema.close);
  const place = { dataDir: draft, databaseUrl: store.databaseUrl, schema: schema?.name };
  const where = `backup ${file}`;
  const restored = await restoreInto(
    lines,
    { directory: draft, store: isFilesOnly ? undefined : place, isWanted: () => true, where },
    log,
  );
  const checks = isFilesOnly ? [] : await verifyRestored(place, log);
  assertSound(checks, where);
  const isHeadsKept = headsFile !== undefined && existsSync(headsFile);
  if (headsFile !== undefined && !isHeadsKept) await moveHeads(draft, headsFile, users?.gateway);
  if (users !== undefined) await giveAway(draft, users);
  await syncDirectory(draft);
  await files.assertFree();
  // The store first: a server that starts between the two steps finds wallets without its signer, and refuses to start.
  await schema?.publish();
  isPublished = true;
  await publishFiles(files, dataDir);
  return {
    data_dir: dataDir,
    store: store.databaseUrl === undefined ? 'pglite' : 'postgres',
    ...factsOf(restored),
    migrated: !isFilesOnly && (await compareMigrations(restored.migrations, MIGRATIONS)) === 'older',
    checks,
    files_only: isFilesOnly,
    kept_heads_file: isHeadsKept,
  };
}

/** Migrates the tables to this version, and verifies them. */
export async function verifyRestored(place: StoreOptions, log: Logger): Promise<readonly CopyCheck[]> {
  const store = await openStore(place, log);
  const files = {
    headsFile: join(place.dataDir, 'audit-heads.jsonl'),
    signerDirectory: join(place.dataDir, 'signer'),
  };
  return verifyCopy(store, files).finally(() => store.close());
}

/** @throws ServiceError `copyRefused` naming the faults. */
export function assertSound(checks: readonly CopyCheck[], where: string): void {
  const faults = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  if (faults.length > 0) throw refuse(where, `it is not sound: ${faults.join('; ')}`);
}

/** The facts of a backup that results show. */
export function factsOf({
  head: { made_at, version },
  counts,
}: Restored): Pick<RestoreResult, 'made_at' | 'version' | 'rows'> {
  return { made_at, version, rows: Object.values(counts.tables).reduce((sum, count) => sum + count, 0) };
}

/** The database may be restored by now: the draft stays, and the error says how to continue. */
async function publishFiles({ publish, draft }: RestorePlace, dataDir: string): Promise<void> {
  await publish().catch((error: Error) => {
    const reason = `its files are restored in ${draft}, but cannot be moved into place (${error.message}): fix that, ${RESTORE_AGAIN}`;
    throw serviceError('copyRefused', { where: dataDir, reason }, error);
  });
}

/** Other users may be able to write to the directory of the file, so links there are not followed. */
async function moveHeads(draft: string, headsFile: string, owner: SystemUser | undefined): Promise<void> {
  const from = join(draft, 'audit-heads.jsonl');
  if (!existsSync(from)) return;
  try {
    await using file = await open(headsFile, 'wx', 0o600);
    await file.writeFile(createReadStream(from));
    if (owner !== undefined) await file.chown(owner.uid, owner.gid);
    await file.sync();
  } catch (error) {
    const { message } = error as Error;
    throw refuse(headsFile, `cannot write the file of audit heads (audit_heads_file): ${message}`);
  }
  await rm(from);
}

/** The draft and its parent directory belong to root, so no other user can have added anything. */
async function giveAway(
  draft: string,
  { gateway, signer }: NonNullable<RestoreOptions['users']>,
): Promise<void> {
  for (const entry of await readdir(draft, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const owner =
      path === join(draft, 'signer') || path.startsWith(join(draft, 'signer/')) ? signer : gateway;
    await chown(path, owner.uid, owner.gid);
  }
  await chown(draft, gateway.uid, gateway.gid);
}

function refuse(where: string, reason: string): Error {
  return serviceError('copyRefused', { where, reason });
}
