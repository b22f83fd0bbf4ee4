import pg from 'pg';
import { onTestFinished } from 'vitest';
import { createDatabase } from './postgres.ts';

/** A PostgreSQL database of the test's own that can be taken away: it cuts its connections and takes no new ones. */
export type LostDatabase = {
  readonly url: string;
  readonly takeAway: () => Promise<void>;
  readonly giveBack: () => Promise<void>;
};

/** Makes a database that is dropped when the test ends. */
export async function newLostDatabase(postgresUrl: string): Promise<LostDatabase> {
  const { url, drop } = await createDatabase(postgresUrl);
  onTestFinished(drop);
  const name = new URL(url).pathname.slice(1);
  const run = async (statement: string, values: readonly string[] = []): Promise<void> => {
    const client = new pg.Client({ connectionString: postgresUrl });
    await client.connect();
    await client.query(statement, [...values]).finally(() => client.end());
  };
  const allow = (isAllowed: boolean) => run(`alter database ${name} with allow_connections ${isAllowed}`);
  return {
    url,
    takeAway: async () => {
      await allow(false);
      await run('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    },
    giveBack: () => allow(true),
  };
}
