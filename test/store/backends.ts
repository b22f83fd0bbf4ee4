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
import { prepareStore } from '../support/prepared-store.ts';
import { dropSchema, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';

/** How long a store may take to open on a machine that does much else. */
const OPEN_DEADLINE_MS = 180_000;

export const SILENT = pino({ level: 'silent' });

/** A kind of store in a test: places to open, each with a schema of its own. */
export type TestBackend = {
  readonly kind: Store['kind'];
  /** A place with no table in it that nothing else uses; emptied after the test. */
  place(): StoreOptions;
  /** A store that all tests of a block share, opened before the first of them; an embedded one has the block's place for itself. */
  shared(): () => PrioritizedStore;
  /** The same, without a row in its tables at the beginning of each test. */
  emptied(): () => PrioritizedStore;
};

const postgresUrl = await findPostgres();

/** Runs the same tests on the embedded store and on PostgreSQL; the latter is skipped, with the reason, where none runs. */
export function describeStores(promise: string, body: (backend: TestBackend) => void): void {
  describe(`${promise}, embedded`, () => {
    const dataDir = useDataDir();
    beforeAll(() => prepareStore(dataDir()));
    const place = (): StoreOptions => ({ dataDir: dataDir(), schema: newSchema() });
    const shared = (): (() => PrioritizedStore) => useSharedStore(() => ({ dataDir: dataDir() }));
    body({ kind: 'pglite', place, shared, emptied: () => emptiedForEach(shared()) });
  });
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
    const shared = (): (() => PrioritizedStore) => {
      const schema = newSchema();
      afterAll(() => dropSchema(postgresUrl, schema));
      return useSharedStore(() => ({ dataDir: dataDir(), databaseUrl: postgresUrl, schema }));
    };
    body({ kind: 'postgres', place, shared, emptied: () => emptiedForEach(shared()) });
  });
}

/** Opens a store that is closed when the test ends. */
export async function useStore(options: StoreOptions): Promise<PrioritizedStore> {
  const store = await openStore(options, SILENT);
  onTestFinished(() => store.close());
  return store;
}

function useSharedStore(place: () => StoreOptions): () => PrioritizedStore {
  let store: PrioritizedStore | undefined;
  beforeAll(async () => {
    store = await openStore(place(), SILENT);
  }, OPEN_DEADLINE_MS);
  afterAll(() => store?.close());
  return () => {
    if (store === undefined) throw new Error('the store is not open yet');
    return store;
  };
}

function emptiedForEach(store: () => PrioritizedStore): () => PrioritizedStore {
  beforeEach(() => removeRows(store()));
  return store;
}

/** Removes all rows, those of tables that only grow too: their triggers rest meanwhile. */
function removeRows(store: Store): Promise<void> {
  return store.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    const { rows } = await tx.execute<{ readonly tables: string }>(
      sql`select string_agg(quote_ident(tablename), ', ') as tables from pg_tables
        where schemaname = current_schema() and tablename <> 'migrations'`,
    );
    await tx.execute(sql.raw(`truncate ${rows[0]?.tables} restart identity`));
  });
}

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
