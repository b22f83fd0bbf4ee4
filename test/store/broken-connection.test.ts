import { randomBytes } from 'node:crypto';
import { sql } from '../../src/store/drizzle.ts';
import pg from 'pg';
import { expect, test } from 'vitest';
import { dropSchema, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { openStore } from '../../src/store/open-store.ts';
import { eventually } from '../../src/core/eventually.ts';
import { SILENT } from './backends.ts';

test('a connection that breaks between two queries of a transaction fails that transaction and nothing else', async (context) => {
  const databaseUrl = await findPostgres();
  if (databaseUrl === undefined) return context.skip(POSTGRES_MISSING);
  const schema = `test_${randomBytes(6).toString('hex')}`;
  const store = await openStore({ dataDir: '/nowhere', databaseUrl, schema }, SILENT);
  const other = new pg.Client({ connectionString: databaseUrl });
  await other.connect();
  const isGone = async (pid: number): Promise<true | undefined> => {
    const { rowCount } = await other.query('select from pg_stat_activity where pid = $1', [pid]);
    return rowCount === 0 ? true : undefined;
  };
  try {
    const broken = store.transaction(async (tx) => {
      const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      const pid = rows[0]?.pid ?? 0;
      await other.query('select pg_terminate_backend($1)', [pid]);
      await eventually('the connection is gone', () => isGone(pid));
      await tx.execute(sql`select 1`);
    });
    await expect(broken).rejects.toThrow();
    await store.ping();
  } finally {
    await other.end();
    await store.close();
    await dropSchema(databaseUrl, schema);
  }
});

test('a connection that breaks while a store waits for its turn to migrate is told, and ends nothing else', async (context) => {
  const databaseUrl = await findPostgres();
  if (databaseUrl === undefined) return context.skip(POSTGRES_MISSING);
  const schema = `test_${randomBytes(6).toString('hex')}`;
  const other = new pg.Client({ connectionString: databaseUrl });
  await other.connect();
  try {
    const lock = `hashtextextended('keyslot migrations of ${schema}', 0)`;
    await other.query(`select pg_advisory_lock(${lock})`);
    const opening = openStore({ dataDir: '/nowhere', databaseUrl, schema }, SILENT);
    const told = expect(opening).rejects.toMatchObject({ code: 'storeUnavailable' });
    const ended = await eventually('the opener waits', async () => {
      const { rowCount } = await other.query(
        `select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and not granted
            and (classid::int8 << 32 | objid::int8) = ${lock}`,
      );
      return rowCount === 1 ? true : undefined;
    });
    expect(ended).toBe(true);
    await told;
  } finally {
    await other.end();
    await dropSchema(databaseUrl, schema);
  }
});
