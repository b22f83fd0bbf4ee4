import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import { makeDataPrivate, prepareDataDirectory } from '../data-directory.ts';
import { DEADLINES } from '../deadlines.ts';
import { acquireLock, releaseLock } from '../lock-file.ts';
import type { Backend } from '../backend.ts';
import { withDataDirectory } from '../store-errors.ts';
import { innermostError, isWriteFault, storeFaultOf } from '../store-fault.ts';
import { assertRoom } from '../store-health.ts';
import { assertRelations } from './assert-relations.ts';
import { assertWhole } from './assert-whole.ts';
import { DamagedStore } from './damaged-store.ts';
import { copyEmptyStore } from './empty-store.ts';
import { PreparingClient } from './preparing-client.ts';
import { toError } from './thrown-error.ts';
import { type SupervisedThread, startSupervisedThread } from './supervised-thread.ts';
import { WireStream } from './wire-stream.ts';
import { withLateBegin } from './with-late-begin.ts';

/** The files of an embedded store that was moved to a PostgreSQL are kept under this name in the data directory. */
export const MOVED_STORE = 'store.moved';

/** System error codes; PGlite's own messages are of no use. */
const SYSTEM = /^E[A-Z]+\b/;

/** True when a data directory has a finished embedded store. */
export function hasPglite(dataDir: string): boolean {
  const directory = join(dataDir, 'store');
  return existsSync(directory) && !existsSync(markBeside(directory));
}

/**
 * Opens the embedded PostgreSQL in `<dataDir>/store`, for this process alone: PGlite does not notice a second process, and acknowledged
 * rows would be lost.
 * @throws ServiceError dataDirectoryLocked naming the holder; dataDirectoryNotPrivate; storeUnavailable when it does not start.
 */
export async function openPglite(dataDir: string, log: Logger): Promise<Backend> {
  const directory = join(dataDir, 'store');
  const where = `embedded store ${directory}`;
  await withDataDirectory(dataDir, where, () => prepareDataDirectory(dataDir));
  const lock = await withDataDirectory(dataDir, where, () => acquireLock(dataDir));
  const start = async (): Promise<SupervisedThread> => {
    makeDataPrivate(dataDir, log);
    return startThread(directory, log);
  };
  const thread = await withDataDirectory(dataDir, where, start).catch(async (error: unknown) => {
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
    connectionsPerLane: 1,
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
 * A marker file is next to the directory while a new database is created in it: if a process was killed meanwhile, the unfinished database,
 * in which nothing was ever stored, is created again.
 */
async function startThread(directory: string, log: Logger): Promise<SupervisedThread> {
  const mark = markBeside(directory);
  if (existsSync(mark)) await rm(directory, { recursive: true, force: true });
  if (existsSync(directory)) return startExisting(directory, log);
  assertNotMoved(directory);
  await writeFile(mark, '', { mode: 0o600 });
  await mkdir(directory, { mode: 0o700 });
  copyEmptyStore(directory);
  const thread = await startSupervisedThread({ directory, log });
  await rm(mark);
  return thread;
}

/** An empty store beside a moved one would take new wallets and know no key, until somebody notices. */
function assertNotMoved(directory: string): void {
  const moved = join(dirname(directory), MOVED_STORE);
  if (existsSync(moved))
    throw new Error(
      `it was moved to a PostgreSQL: set KEYSLOT_DATABASE_URL. To begin with an empty store instead, move ${moved} away`,
    );
}

/** @throws DamagedStore if it does not start, unless the cause is the disk or a missing permission. */
async function startExisting(directory: string, log: Logger): Promise<SupervisedThread> {
  assertWhole(directory);
  try {
    return await startSupervisedThread({ directory, log });
  } catch (error) {
    await assertRoom(directory);
    const { message: reason } = toError(error);
    if (SYSTEM.test(reason)) throw error;
    throw new DamagedStore(directory, `it does not start (${reason})`);
  }
}

/** Returns the error of the first statements in readable form: only damage makes them fail, unless the disk is full. */
function explain(directory: string, error: unknown): unknown {
  const innermost = innermostError(error);
  const isDamage = innermost instanceof pg.DatabaseError && !isWriteFault(storeFaultOf(error));
  return isDamage ? new DamagedStore(directory, innermost.message) : error;
}

function markBeside(directory: string): string {
  return `${directory}.unfinished`;
}
