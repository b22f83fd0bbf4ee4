import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { isServed } from '../admin/ask-admin.ts';
import { serviceError } from '../../core/service-error.ts';
import { AsyncDisposableStack } from '../../core/disposable-stack.ts';
import { syncDirectory } from '../../signer/files/write-durably.ts';
import { type CopySource, openCopySource } from '../../store/copy/copy-source.ts';
import { openCopyTarget } from '../../store/copy/copy-target.ts';
import { openDraftSchema } from '../../store/copy/draft-schema.ts';
import { hasStore, openStore, type StoreOptions } from '../../store/open-store.ts';
import { MOVED_STORE } from '../../store/pglite/open-pglite.ts';
import { assertSound } from './restore-backup.ts';
import { assertSameCounts } from './restore-into.ts';
import { type CopyCheck, verifyCopy } from './verify-copy.ts';

export type MoveOptions = {
  readonly store: StoreOptions;
  /** The address of the PostgreSQL to move to. */
  readonly to: string;
  readonly headsFile: string;
  /** Undefined if the signer has its own user, whose files this one cannot read. */
  readonly signerDirectory: string | undefined;
  readonly log: Logger;
};

/** The result of `keyslot store move --json`. */
export type MoveResult = {
  readonly rows: number;
  readonly tables: Readonly<Record<string, number>>;
  readonly checks: readonly CopyCheck[];
  /** The new path of the embedded store's files; null for PostgreSQL, which is left as it is. */
  readonly old_store: string | null;
};

/**
 * Copies the store into a PostgreSQL database without Keyslot tables, verifies counts, audit log and books there, and publishes it. An
 * embedded store is then set aside: a server that is started without the new address must not write to it.
 *
 * @throws ServiceError `copyRefused` if a server uses the store, PostgreSQL is not empty, or the copy is not sound; `dataDirectoryLocked`.
 */
export async function moveStore({
  store,
  to,
  headsFile,
  signerDirectory,
  log,
}: MoveOptions): Promise<MoveResult> {
  if (await isServed(store.dataDir)) throw refuse(store.dataDir, 'a server is running on it: stop it first');
  if (!hasStore(store))
    throw refuse(store.dataDir, 'there is no store yet: start the server with the new address instead');
  await using opened = new AsyncDisposableStack();
  const schema = await openDraftSchema(to);
  opened.defer(schema.close);
  const source = await openCopySource(store, log);
  opened.defer(source.close);
  await assertUnused(source);
  const place = { dataDir: store.dataDir, databaseUrl: to, schema: schema.name };
  const tables = await copyRows(source, place, log);
  const copy = await openStore(place, log);
  const checks = await verifyCopy(copy, { headsFile, signerDirectory }).finally(() => copy.close());
  assertSound(checks, `the copy of ${source.where}`);
  await assertUnused(source);
  await schema.publish();
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  return { rows, tables, checks, old_store: source.kind === 'pglite' ? await setAside(store.dataDir) : null };
}

async function copyRows(
  source: CopySource,
  place: StoreOptions,
  log: Logger,
): Promise<Readonly<Record<string, number>>> {
  const target = await openCopyTarget(place, source, log);
  const read: Record<string, number> = {};
  try {
    for await (const page of source.pages()) {
      read[page.table] = (read[page.table] ?? 0) + page.rows.length;
      await target.write(page);
    }
    assertSameCounts(read, await target.finish(), source.where);
    return read;
  } finally {
    await target.close();
  }
}

async function assertUnused(source: CopySource): Promise<void> {
  if (await source.isServed())
    throw refuse(source.where, 'servers are running on it: stop all of them first');
}

/** Renames the files of the embedded store, while the lock of the directory is still held. */
async function setAside(dataDir: string): Promise<string> {
  const path = join(dataDir, MOVED_STORE);
  await rename(join(dataDir, 'store'), path).catch((error: Error) => {
    throw refuse(
      path,
      `the store was moved, and its old files cannot be renamed (${error.message}): do that before the next start`,
    );
  });
  await syncDirectory(dataDir);
  return path;
}

function refuse(where: string, reason: string): Error {
  return serviceError('copyRefused', { where, reason });
}
