import type { Logger } from 'pino';
import type { Backend } from './backend.ts';
import { makeDataPrivate } from './data-directory.ts';
import { openPglite } from './pglite/open-pglite.ts';
import { openPostgres } from './postgres/open-postgres.ts';
import { assertRestored } from './unfinished-restore.ts';

/** The location of the store and, if several share one database, its schema. */
export type StoreOptions = {
  /** Directory of all the server's files; created if it does not exist, and closed to other users if it does. */
  readonly dataDir: string;
  /** A PostgreSQL address (postgres://…). Absent: the embedded store in `<dataDir>/store`. */
  readonly databaseUrl?: string | undefined;
  /** The SQL schema that holds the tables. Default `keyslot`. */
  readonly schema?: string | undefined;
};

export const DEFAULT_SCHEMA = 'keyslot';

/**
 * Opens the backend of a store without reading its tables. With a PostgreSQL, the data directory holds the rest: keys, heads of the audit
 * log, the admin socket.
 *
 * @throws ServiceError `copyRefused` while a restore into the data directory is not finished.
 */
export async function openBackend({ dataDir, databaseUrl }: StoreOptions, log: Logger): Promise<Backend> {
  assertRestored(dataDir);
  if (databaseUrl === undefined) return openPglite(dataDir, log);
  makeDataPrivate(dataDir, log);
  return openPostgres(databaseUrl);
}
