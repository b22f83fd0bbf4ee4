import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { prepareDataDirectory } from '../data-directory.ts';
import { DEADLINES } from '../deadlines.ts';
import { acquireLock, releaseLock } from '../lock-file.ts';
import type { Backend } from '../open-store.ts';
import { withStoreErrors } from '../store-errors.ts';
import { PreparingClient } from './preparing-client.ts';
import { type StoreThread, startStoreThread } from './store-thread.ts';
import { WireStream } from './wire-stream.ts';
import { withLateBegin } from './with-late-begin.ts';

/** Whether a data directory has an embedded store; one that was not finished is none. */
export function hasPglite(dataDir: string): boolean {
  const directory = join(dataDir, 'store');
  return existsSync(directory) && !existsSync(markBeside(directory));
}

/**
 * The embedded PostgreSQL in `<dataDir>/store`, for this process alone: PGlite does not notice a second process, and
 * rows that it has acknowledged would be lost.
 * @throws ServiceError dataDirectoryLocked naming the holder; storeUnavailable when it does not start.
 */
export async function openPglite(dataDir: string, log: Logger): Promise<Backend> {
  const directory = join(dataDir, 'store');
  const where = `embedded store ${directory}`;
  await withStoreErrors(where, () => prepareDataDirectory(dataDir));
  const lock = await withStoreErrors(where, () => acquireLock(dataDir));
  const thread = await withStoreErrors(where, () => startThread(directory)).catch(async (error: unknown) => {
    await releaseLock(lock);
    throw error;
  });
  void thread.ended.then(
    (error) => error && log.error({ err: error, store: where }, 'the embedded store ended'),
  );
  const wire = withLateBegin(thread);
  return {
    kind: 'pglite',
    where,
    maxConnections: 1,
    Client: PreparingClient,
    clientConfig: {
      stream: () => new WireStream(wire),
      ssl: false,
      user: 'postgres',
      database: 'postgres',
      application_name: 'keyslot',
      connectionTimeoutMillis: DEADLINES.connectMs,
      query_timeout: DEADLINES.queryMs,
    },
    close: async () => {
      await thread.close();
      await releaseLock(lock);
    },
  };
}

/**
 * A mark stands beside the directory while a new database is made in it: where a process was killed meanwhile, half of one
 * is found, in which nothing was ever stored, and it is made anew.
 */
async function startThread(directory: string): Promise<StoreThread> {
  const mark = markBeside(directory);
  if (existsSync(mark)) await rm(directory, { recursive: true, force: true });
  if (existsSync(directory)) return startStoreThread(directory);
  await writeFile(mark, '');
  const thread = await startStoreThread(directory);
  await rm(mark);
  return thread;
}

function markBeside(directory: string): string {
  return `${directory}.unfinished`;
}
