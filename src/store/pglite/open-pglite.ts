import { existsSync, closeSync, openSync, readSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import { assertPreparable, makeDataPrivate, prepareDataDirectory } from '../data-directory.ts';
import { DEADLINES } from '../deadlines.ts';
import { acquireLock, releaseLock } from '../lock-file.ts';
import type { Backend } from '../backend.ts';
import { withDataDirectory } from '../store-errors.ts';
import { innermostError, isWriteFault, storeFaultOf } from '../store-fault.ts';
import { assertRoom } from '../store-health.ts';
import {
  assertWhole,
  type SupervisedThread,
  startSupervisedThread,
  WireStream,
} from './supervised-thread.ts';
import { DamagedStore } from './damaged-store.ts';
import { copyEmptyStore } from './empty-store.ts';
import { toError } from './thrown-error.ts';
import { StoreClient, type StoreClientConfig } from '../store-client.ts';

/** Name of the files of an embedded store that was moved to a PostgreSQL, in the data directory. */
export const MOVED_STORE = 'store.moved';

/** System error codes, since PGlite's own messages do not help. */
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
  return {
    kind: 'pglite',
    where,
    directory,
    assertSound: (client, schema) => assertRelations(client, directory, schema),
    explain: (error) => explain(directory, error),
    maxConnections: 1,
    connectionsPerLane: 1,
    Client: PreparingClient,
    clientConfig: {
      stream: () => new WireStream(thread),
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

/** Checks, without changing anything, that the store could be opened or created. @throws ServiceError storeUnavailable. */
export async function checkPglite(dataDir: string): Promise<void> {
  const directory = join(dataDir, 'store');
  await withDataDirectory(dataDir, `embedded store ${directory}`, async () => {
    await assertPreparable(dataDir);
    if (existsSync(directory)) return;
    assertNotMoved(directory);
  });
}

/**
 * A marker file is next to the directory while a new database is created in it. If the process is killed meanwhile, the unfinished
 * database, in which nothing was ever stored, is created again.
 */
async function startThread(directory: string, log: Logger): Promise<SupervisedThread> {
  const mark = markBeside(directory);
  if (existsSync(mark)) await rm(directory, { recursive: true, force: true });
  if (existsSync(directory)) return startExisting(directory, log);
  assertNotMoved(directory);
  await writeFile(mark, '', { mode: 0o600 });
  await mkdir(directory, { mode: 0o700 });
  await copyEmptyStore(directory);
  const thread = await startSupervisedThread({ directory, log });
  await rm(mark);
  return thread;
}

/** An empty store next to a moved one would accept new wallets without knowing any key, until somebody notices. */
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

/** Returns the error of the first statements in readable form: they fail only because of damage, or a full disk. */
function explain(directory: string, error: unknown): unknown {
  const innermost = innermostError(error);
  const isDamage = innermost instanceof pg.DatabaseError && !isWriteFault(storeFaultOf(error));
  return isDamage ? new DamagedStore(directory, innermost.message) : error;
}

function markBeside(directory: string): string {
  return `${directory}.unfinished`;
}

/** Number of statements that one connection keeps prepared. The store has about this many; others are parsed each time. */
const MAX_STATEMENTS = 256;

/**
 * A client that prepares each statement with parameters on first use, and then only binds it: parsing and planning cost the embedded
 * PostgreSQL more than running most statements of the store.
 */
class PreparingClient extends StoreClient {
  constructor(config?: StoreClientConfig) {
    super(config, MAX_STATEMENTS);
  }
}

const PAGE_BYTES = 8_192;

/** Tables that never lose a row: if their key index has entries, they have rows. */
const GROWING = [
  ...['migrations', 'accounts', 'api_keys', 'access_tokens', 'audit_tips', 'audit_records', 'audit_heads'],
  ...['ledger_accounts', 'ledger_transactions', 'ledger_entries', 'operation_counts'],
];

/** The files of the tables and indexes of a schema; `keys`: the index of a table's primary key. */
const RELATIONS = `
  select c.relname as name, c.relkind::text as kind, pg_relation_filepath(c.oid) as path,
    (select pg_relation_filepath(i.indexrelid) from pg_index i where i.indrelid = c.oid and i.indisprimary) as keys
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind in ('r', 'i')`;

type Relation = {
  readonly name: string;
  readonly kind: string;
  readonly path: string;
  readonly keys: string | null;
};

/**
 * Asserts that tables and indexes have their files, once the database has started: PostgreSQL takes a page of zeros for a new one, so an
 * overwritten table has no rows and nothing reports it. An index always has a first page, and a table with keys in its index has rows.
 *
 * @throws DamagedStore naming the file that is missing, empty or zeroed.
 */
async function assertRelations(client: pg.ClientBase, directory: string, schema: string): Promise<void> {
  const { rows } = await client.query<Relation>(RELATIONS, [schema]);
  const faults = rows.flatMap((relation) => {
    const fault = faultOf(directory, relation);
    return fault === undefined
      ? []
      : [`the ${relation.kind === 'i' ? 'index' : 'table'} ${relation.name} ${fault}`];
  });
  if (faults.length > 0) throw new DamagedStore(directory, faults.join(', '));
}

function faultOf(directory: string, { name, kind, path, keys }: Relation): string | undefined {
  const sizeBytes = sizeOf(join(directory, path));
  if (sizeBytes === undefined) return `is missing (${path})`;
  const isZero = sizeBytes > 0 && !hasContent(join(directory, path), 0);
  if (kind === 'i')
    return isZero
      ? `begins with zeros (${path})`
      : sizeBytes < PAGE_BYTES
        ? `is cut off (${path})`
        : undefined;
  // A table that got its first page when the machine stopped has a page of zeros too, and no key yet.
  const index = keys === null ? undefined : join(directory, keys);
  if (index === undefined || sizeOf(index) === undefined || !hasContent(index, PAGE_BYTES)) return undefined;
  if (isZero) return `begins with zeros (${path})`;
  return sizeBytes === 0 && GROWING.includes(name) ? `is empty (${path})` : undefined;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** True when the page of a file is not all zeros. */
function hasContent(path: string, at: number): boolean {
  const page = Buffer.alloc(PAGE_BYTES);
  const file = openSync(path, 'r');
  readSync(file, page, 0, PAGE_BYTES, at);
  closeSync(file);
  return page.some((byte) => byte !== 0);
}
