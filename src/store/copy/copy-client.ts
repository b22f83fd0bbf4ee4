import pg from 'pg';
import { DEADLINES } from '../deadlines.ts';

/** Returns a client for the statements of a copy, which read and count whole tables: they get the deadline of a migration. */
export function createCopyClient(config: pg.ClientConfig): pg.Client {
  const { migrationMs } = DEADLINES;
  const ofServer = config.statement_timeout === undefined ? {} : { statement_timeout: migrationMs };
  const client = new pg.Client({ ...config, query_timeout: migrationMs, ...ofServer });
  // The query reports a broken connection; without a listener it would end the process.
  client.on('error', () => undefined);
  return client;
}

/** A value of a row as PostgreSQL prints it. */
export type PrintedValue = string | null;

/** Rows of a table, in the order in which they were read. */
export type RowPage = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly PrintedValue[])[];
};
