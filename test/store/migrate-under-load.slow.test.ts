import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEADLINES } from '../../src/store/deadlines.ts';
import { sql } from '../../src/store/drizzle.ts';
import { eventually } from '../../src/core/eventually.ts';
import { openStore, type PrioritizedStore } from '../../src/store/open-store.ts';
import { dropSchema, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { SILENT } from './backends.ts';
import { makeEarlier } from './make-earlier.ts';

const url = await findPostgres();

if (url === undefined)
  test('a migration alongside the version before', (context) => context.skip(POSTGRES_MISSING));
else describe('a migration alongside the version before', () => migrateBeside(url));

/** A migration that takes both tables for itself, in this order. */
const [BEFORE, FIRST, LATER] = ['0020_closing', 'operation_counts', 'ledger_accounts'];

function migrateBeside(databaseUrl: string): void {
  let schema = '';
  let store: PrioritizedStore | undefined;
  afterEach(async () => {
    await store?.close();
    await dropSchema(databaseUrl, schema);
  });

  beforeEach(async () => {
    schema = `test_${randomUUID().replaceAll('-', '')}`;
    await makeEarlier(place(), { before: BEFORE, rows: [] });
  });
  // PostgreSQL does not end the migration, so it has to give way by itself.
  const place = () => ({ dataDir: '', databaseUrl: withDeadlockTimeout(databaseUrl, '60s'), schema });
  const connect = async () => {
    const client = new pg.Client({ connectionString: withDeadlockTimeout(databaseUrl, '10s') });
    await client.connect();
    await client.query(`set search_path to ${schema}`);
    return client;
  };
  const isMigrated = async (opened: PrioritizedStore) => {
    store = opened;
    const { rows } = await opened.db.execute(sql`select count(*)::int as applied from migrations`);
    expect(Number(rows[0]?.applied)).toBeGreaterThan(20);
  };

  test('gives its locks up before PostgreSQL looks for a deadlock, which it does after a second by default', () => {
    expect(DEADLINES.migrationLocksMs).toBeLessThan(1_000);
  });

  test('waits for no request with locks that the request waits for: both are done', async () => {
    const client = await connect();
    try {
      await client.query('begin');
      await client.query(`select 1 from ${LATER}`);
      const opens = openStore(place(), SILENT);
      opens.catch(() => undefined);
      // The request continues with the table that the migration has by now. PostgreSQL would end one of them.
      await eventually('the migration waits', () => isAwaited(databaseUrl, `${schema}.${LATER}`), {
        intervalMs: 1,
      });
      await client.query(`select 1 from ${FIRST}`);
      await client.query('commit');
      await isMigrated(await opens);
    } finally {
      await client.end();
    }
  });

  test.each([
    [FIRST, LATER],
    [LATER, FIRST],
  ])('gets its turn between requests that never cease, and use %s before %s', async (one, other) => {
    const clients = await Promise.all(Array.from({ length: 4 }, connect));
    let isOver = false;
    let requests = 0;
    const request = async (client: pg.Client): Promise<void> => {
      while (!isOver) {
        await client.query('begin');
        await client.query(`select pg_sleep(0.01) from (select count(*) from ${one}) as locked`);
        await client.query(`select pg_sleep(0.01) from (select count(*) from ${other}) as locked`);
        await client.query('commit');
        requests++;
      }
    };
    const served = Promise.all(clients.map(request));
    try {
      await isMigrated(await openStore(place(), SILENT));
      const before = requests;
      await eventually('requests continue', () => requests > before || undefined);
    } finally {
      isOver = true;
      await served.finally(() => Promise.all(clients.map((client) => client.end())));
    }
  });
}

/**
 * The address with another time after which PostgreSQL looks for a deadlock. By default it may end a request where the machine stands still
 * for longer than the migration has locks.
 */
function withDeadlockTimeout(databaseUrl: string, timeout: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c deadlock_timeout=${timeout}`);
  return url.href;
}

/** True while somebody waits for a lock of a table. */
async function isAwaited(connectionString: string, table: string): Promise<true | undefined> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const waiting = await client.query(
      'select 1 from pg_locks where not granted and relation = $1::regclass',
      [table],
    );
    return waiting.rowCount === 0 ? undefined : true;
  } finally {
    await client.end();
  }
}
