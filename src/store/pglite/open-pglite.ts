import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import { makeDataPrivate, prepareDataDirectory } from '../data-directory.ts';
import { DEADLINES } from '../deadlines.ts';
import { acquireLock, releaseLock } from '../lock-file.ts';
import type { Backend } from '../backend.ts';
import { withStoreErrors } from '../store-errors.ts';
import { innermostError, isWriteFault, storeFaultOf } from '../store-fault.ts';
import { assertRoom } from '../store-health.ts';
import { assertRelations } from './assert-relations.ts';
import { assertWhole } from './assert-whole.ts';
import { DamagedStore } from './damaged-store.ts';
import { copyEmptyStore } from './empty-store.ts';
import { PreparingClient } from './preparing-client.ts';
import { toError } from './thrown-error.ts';
import { type KeptThread, startKeptThread } from './kept-thread.ts';
import { WireStream } from './wire-stream.ts';
import { withLateBegin } from './with-late-begin.ts';

/** What the system says of a file; PGlite's own words say nothing. */
const SYSTEM = /^E[A-Z]+\b/;

/** Whether a data directory has an embedded store; one that was not finished is none. */
export function hasPglite(dataDir: string): boolean {
  const directory = join(dataDir, 'store');
  return existsSync(directory) && !existsSync(markBeside(directory));
}

/**
 * The embedded PostgreSQL in `<dataDir>/store`, for this process alone: PGlite does not notice a second process, and
 * rows that it has acknowledged would be lost.
 * @throws ServiceError dataDirectoryLocked naming the holder; dataDirectoryNotPrivate; storeUnavailable when it does not start.
 */
export async function openPglite(dataDir: string, log: Logger): Promise<Backend> {
  const directory = join(dataDir, 'store');
  const where = `embedded store ${directory}`;
  await withStoreErrors(where, () => prepareDataDirectory(dataDir));
  const lock = await withStoreErrors(where, () => acquireLock(dataDir));
  const start = async (): Promise<KeptThread> => {
    makeDataPrivate(dataDir, log);
    return startThread(directory, log);
  };
  const thread = await withStoreErrors(where, start).catch(async (error: unknown) => {
    await releaseLock(lock);
    throw error;
  });
  const wire = withLateBegin(thread);
  return {
    kind: 'pglite',
    ...{ where, directory },
    assertSound: (client, schema) => assertRelations(client, directory, schema),
    explain: (error) => explain(directory, error),
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
async function startThread(directory: string, log: Logger): Promise<KeptThread> {
  const mark = markBeside(directory);
  if (existsSync(mark)) await rm(directory, { recursive: true, force: true });
  if (existsSync(directory)) return startExisting(directory, log);
  await writeFile(mark, '', { mode: 0o600 });
  await mkdir(directory, { mode: 0o700 });
  copyEmptyStore(directory);
  const thread = await startKeptThread({ directory, log });
  await rm(mark);
  return thread;
}

/** @throws DamagedStore where it does not start, and neither the disk nor a right that is missing is why. */
async function startExisting(directory: string, log: Logger): Promise<KeptThread> {
  assertWhole(directory);
  try {
    return await startKeptThread({ directory, log });
  } catch (error) {
    await assertRoom(directory);
    const { message: reason } = toError(error);
    if (SYSTEM.test(reason)) throw error;
    throw new DamagedStore(directory, `it does not start (${reason})`);
  }
}

/** What the first statements failed with, in words of ours: nothing but damage makes them fail, unless the disk is full. */
function explain(directory: string, error: unknown): unknown {
  const innermost = innermostError(error);
  const isDamage = innermost instanceof pg.DatabaseError && !isWriteFault(storeFaultOf(error));
  return isDamage ? new DamagedStore(directory, innermost.message) : error;
}

function markBeside(directory: string): string {
  return `${directory}.unfinished`;
}
