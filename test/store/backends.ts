import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, onTestFinished, test } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import {
  openStore,
  type PrioritizedStore,
  type Store,
  type StoreOptions,
} from '../../src/store/open-store.ts';
import { dropSchema, findPostgres, POSTGRES_MISSING, workerSchema } from '../support/postgres.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { isThorough } from '../support/tier.ts';

/** The longest time that a store may take to open on a busy machine. */
const OPEN_DEADLINE_MS = 180_000;

export const SILENT = pino({ level: 'silent' });

/** A kind of store in a test: places to open, each with a schema of its own. */
export type TestBackend = {
  readonly kind: Store['kind'];
  /** A place with no table in it that nothing else uses; emptied after the test. */
  place(): StoreOptions;
  /** The store of this worker process, which its files share: without a row in its tables at the beginning of the block. */
  shared(): () => PrioritizedStore;
  /** The same, without a row in its tables at the beginning of each test. */
  emptied(): () => PrioritizedStore;
};

const postgresUrl = isThorough ? await findPostgres() : undefined;

/** Runs the same tests on the embedded store and, in a thorough run, on PostgreSQL, where one runs. */
export function describeStores(promise: string, body: (backend: TestBackend) => void): void {
  describe(`${promise}, embedded`, () => {
    const dataDir = useDataDir();
    const place = (): StoreOptions => {
      prepareStore(dataDir());
      return { dataDir: dataDir(), schema: newSchema() };
    };
    body({
      kind: 'pglite',
      place,
      shared: () => useWorkerStore('pglite'),
      emptied: () => useEmptied('pglite'),
    });
  });
  if (!isThorough) return;
  if (postgresUrl === undefined) {
    test(`${promise}, PostgreSQL`, (context) => context.skip(POSTGRES_MISSING));
    return;
  }
  describe(`${promise}, PostgreSQL`, () => {
    const dataDir = useDataDir();
    const place = (): StoreOptions => {
      const schema = newSchema();
      onTestFinished(() => dropSchema(postgresUrl, schema));
      return { dataDir: dataDir(), databaseUrl: postgresUrl, schema };
    };
    body({
      kind: 'postgres',
      place,
      shared: () => useWorkerStore('postgres'),
      emptied: () => useEmptied('postgres'),
    });
  });
}

/** Opens a store that is closed when the test ends. */
export async function useStore(options: StoreOptions): Promise<PrioritizedStore> {
  const store = await openStore(options, SILENT);
  onTestFinished(() => store.close());
  return store;
}

/** The stores of this worker process, open until it ends: to open one costs more than most files do. */
const workerStores = new Map<Store['kind'], Promise<PrioritizedStore>>();

/** The store of this worker process without a row. Files run one after the other in a process and leave its store open. */
export async function emptiedWorkerStore(kind: Store['kind'] = 'pglite'): Promise<PrioritizedStore> {
  const opened = workerStores.get(kind) ?? openWorkerStore(kind);
  workerStores.set(kind, opened);
  const store = await opened;
  await removeRows(store);
  return store;
}

async function openWorkerStore(kind: Store['kind']): Promise<PrioritizedStore> {
  // In the directory of the run, which is removed after it.
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-store-'));
  if (kind === 'postgres')
    return openStore({ dataDir, databaseUrl: postgresUrl, schema: workerSchema() }, SILENT);
  prepareStore(dataDir);
  return openStore({ dataDir }, SILENT);
}

function useWorkerStore(kind: Store['kind']): () => PrioritizedStore {
  let store: PrioritizedStore | undefined;
  beforeAll(async () => {
    store = await emptiedWorkerStore(kind);
  }, OPEN_DEADLINE_MS);
  return () => {
    if (store === undefined) throw new Error('the store is not open yet');
    return store;
  };
}

function useEmptied(kind: Store['kind']): () => PrioritizedStore {
  const store = useWorkerStore(kind);
  beforeEach(() => removeRows(store()));
  return store;
}

/**
 * Removes all rows, those of tables that only grow too: their triggers do not fire meanwhile. To delete the few rows of a test is faster
 * than to truncate forty tables, which writes a new file for each and its indexes.
 */
function removeRows(store: Store): Promise<void> {
  return store.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql.raw(REMOVE_ROWS));
  });
}

const REMOVE_ROWS = `do $$
declare name text;
begin
  for name in select tablename from pg_tables where schemaname = current_schema() and tablename <> 'migrations' loop
    execute format('delete from %I', name);
  end loop;
  for name in select sequencename from pg_sequences where schemaname = current_schema() and last_value is not null loop
    perform setval(quote_ident(name)::regclass, (select start_value from pg_sequences where schemaname = current_schema() and sequencename = name), false);
  end loop;
end $$`;

/** A temporary directory for the tests of one file or block, removed after them. */
export function useDataDir(): () => string {
  let made = '';
  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'keyslot-store-'));
  });
  afterAll(() => rm(made, { recursive: true, force: true }));
  return () => made;
}

function newSchema(): string {
  return `keyslot_test_${randomBytes(6).toString('hex')}`;
}
