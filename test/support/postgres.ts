import pg from 'pg';
import { createScratchDatabase, type ScratchDatabase } from '../lab/gateways/scratch-database.ts';

const CANDIDATES = ['postgres://postgres@127.0.0.1:5432/test', 'postgres://root@127.0.0.1:5432/test'];

/** Why the tests of PostgreSQL do not run, and what would make them run. */
export const POSTGRES_MISSING =
  'no PostgreSQL on 127.0.0.1:5432 with a database `test`; provide one with `apt-get install postgresql && service postgresql start && ' +
  'su postgres -c "createdb test"`, or name one by KEYSLOT_TEST_DATABASE_URL';

/**
 * The address of a PostgreSQL that tests may fill: KEYSLOT_TEST_DATABASE_URL, or a database `test` on this machine.
 * Undefined when there is none.
 * @throws Error when there is none and CI=true, where a missing service is a failure.
 */
export async function findPostgres(): Promise<string | undefined> {
  const named = process.env.KEYSLOT_TEST_DATABASE_URL;
  for (const url of named === undefined ? CANDIDATES : [named]) {
    if (await answers(url)) return url;
  }
  if (named !== undefined) throw new Error('the PostgreSQL of KEYSLOT_TEST_DATABASE_URL does not answer');
  if (process.env.CI === 'true') throw new Error(POSTGRES_MISSING);
  return undefined;
}

/** Removes a schema with all that is in it. */
export async function dropSchema(url: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  await client.connect();
  await client.query(`drop schema if exists ${pg.escapeIdentifier(schema)} cascade`);
  await client.end();
}

/** The schema of this worker process, dropped when the run ends. */
export function workerSchema(): string {
  return `${process.env.KEYSLOT_TEST_RUN}_${process.pid}`;
}

/** Drops the schemas of all worker processes of this run. */
export async function dropWorkerSchemas(): Promise<void> {
  const url = await findPostgres();
  if (url === undefined) return;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ofRun = `select nspname as name from pg_namespace where starts_with(nspname, $1)`;
  const { rows } = await client.query<{ name: string }>(ofRun, [`${process.env.KEYSLOT_TEST_RUN}_`]);
  for (const { name } of rows) await client.query(`drop schema ${pg.escapeIdentifier(name)} cascade`);
  await client.end();
}

/** Makes a database of its own next to the one of an address. */
export function createDatabase(url: string): Promise<ScratchDatabase> {
  return createScratchDatabase(url, 'keyslot_test_');
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  return await client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}
