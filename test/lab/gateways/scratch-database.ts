import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database of its own, which is dropped with all that is in it. */
export type ScratchDatabase = {
  readonly name: string;
  readonly url: string;
  /** Ends every connection to it, in the middle of whatever it does. */
  readonly breakOff: () => Promise<void>;
  readonly drop: () => Promise<void>;
};

const CONNECT_MS = 5_000;

/** Makes a database next to the one of an address. `prefix` begins its name: lower-case letters and underscores. */
export async function createScratchDatabase(url: string, prefix: string): Promise<ScratchDatabase> {
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const breakOff = (): Promise<void> =>
    run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  return { name, url: own.href, breakOff, drop: () => run(`drop database ${name} with (force)`) };
}
