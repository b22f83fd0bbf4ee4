import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { drizzle, sql } from '../../src/store/drizzle.ts';
import { storeUnavailable } from '../../src/store/store-errors.ts';
import { createStatement } from '../../src/store/statement.ts';
import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import { StoreClient } from '../../src/store/store-client.ts';
import { runTransaction, sendBatched } from '../../src/store/transaction.ts';
import { eventually } from '../../src/core/eventually.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';

// A connection of the pool on which statements broke off works for the next ones, or is gone.

const wait = createStatement<{ readonly seconds: number }>(
  (param) => sql`select pg_sleep(${param('seconds')}::float8)`,
);
const one = createStatement<Record<string, never>, { readonly one: number }>(() => sql`select 1 as one`);

const databaseUrl = await findPostgres();

/** A pool, what runs statements on it, and a connection of its own to look at it. */
async function setUp(options: pg.PoolConfig) {
  const name = `keyslot_test_${randomBytes(6).toString('hex')}`;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: name,
    Client: StoreClient,
    ...options,
  });
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  onTestFinished(async () => {
    await admin.end();
    await pool.end();
  });
  const sleeping = async (count: number): Promise<true | undefined> => {
    const { rowCount } = await admin.query(
      "select from pg_stat_activity where application_name = $1 and wait_event = 'PgSleep'",
      [name],
    );
    return rowCount === count ? true : undefined;
  };
  const terminate = () =>
    admin.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name]);
  /** The connections that are made from now on have time for an answer, whatever the machine does meanwhile. */
  const bePatient = (): void => {
    pool.options.query_timeout = 30_000;
  };
  const batched = () => sendBatched(pool, (db) => [one(db, {})]);
  const transaction = () => runTransaction(pool, (tx) => one(tx, {}));
  return { pool, sleeping, terminate, bePatient, batched, transaction };
}

/** Passes bytes on to PostgreSQL until it is told to swallow those of the connections that are open. */
async function startHole() {
  const { hostname, port } = new URL(databaseUrl ?? '');
  const [open, swallowed] = [new Set<Socket>(), new WeakSet<Socket>()];
  const server = createServer((client) => {
    const node = connect(Number(port), hostname);
    open.add(client);
    for (const socket of [client, node]) socket.on('error', () => undefined);
    client.on('data', (bytes) => swallowed.has(client) || node.write(bytes));
    node.on('data', (bytes) => swallowed.has(client) || client.write(bytes));
    client.on('close', () => node.destroy());
    node.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const swallow = (): void => {
    for (const client of open) swallowed.add(client);
  };
  return { port: (server.address() as AddressInfo).port, swallow };
}

test('connections that PostgreSQL ends under a pipeline are gone, and waiting callers get others', async (context) => {
  if (databaseUrl === undefined) return context.skip(POSTGRES_MISSING);
  const { pool, sleeping, terminate, batched, transaction } = await setUp({ max: 2 });
  const ended = [0, 1].map(() => sendBatched(pool, (db) => [wait(db, { seconds: 60 })]));
  const broken = Promise.allSettled(ended);
  await eventually('both sleep', () => sleeping(2));
  const others = Promise.all([transaction(), batched(), transaction(), batched()]);
  await terminate();
  expect((await broken).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await others).toHaveLength(4);
  for (let times = 0; times < 3; times++) await Promise.all([batched(), transaction()]);
});

test('a transaction whose end was not answered leaves nothing to others', async (context) => {
  if (databaseUrl === undefined) return context.skip(POSTGRES_MISSING);
  const { pool, batched, transaction, bePatient } = await setUp({ max: 1, query_timeout: 2_000 });
  await drizzle(pool).execute(sql`select 1`);
  bePatient();
  const late = runTransaction(pool, async (tx) => await wait(tx, { seconds: 60 }));
  // Neither the rollback, which cannot be sent any more, nor the connection hides why.
  const error: unknown = await late.catch((thrown: unknown) => thrown);
  expect(storeUnavailable('it', error).message).toContain('no answer within 2000 ms');
  for (let times = 0; times < 3; times++) await Promise.all([batched(), transaction()]);
});

test('a query object is answered by the callback that comes with it', async (context) => {
  if (databaseUrl === undefined) return context.skip(POSTGRES_MISSING);
  const { pool } = await setUp({ max: 1, query_timeout: 5_000 });
  for (let times = 0; times < 2; times++) {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const query = new pg.Query('select 1');
    pool.query(query as never, [], (_error, result) => resolve(result.rows.length));
    expect(await promise).toBe(1);
  }
});

test.each(['5s', '-1', '2147483648'])('an address with a query_timeout of %j is refused', (given) => {
  expect(() => openPostgres(`postgres://user:secret@127.0.0.1/it?query_timeout=${given}`)).toThrow(
    `query_timeout is ${given}; must be a number of milliseconds from 1 to 2147483647`,
  );
});

test('a connection that says nothing any more is given up', async (context) => {
  if (databaseUrl === undefined) return context.skip(POSTGRES_MISSING);
  const { port, swallow } = await startHole();
  const connectionString = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href;
  for (const use of ['batched', 'transaction'] as const) {
    const given = await setUp({ max: 1, query_timeout: 200, connectionString });
    const { batched, transaction, bePatient } = given;
    await batched();
    bePatient();
    swallow();
    const error: unknown = await given[use]().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(storeUnavailable('it', error).message).toContain('no answer within 200 ms');
    await batched();
    await transaction();
  }
});
