import type { Backend } from './backend.ts';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgTransactionConfig } from 'drizzle-orm/pg-core';
import { drizzle } from './drizzle.ts';
import pg from 'pg';
import type { Logger } from 'pino';
import { makeDataPrivate } from './data-directory.ts';
import { DEADLINES } from './deadlines.ts';
import { applyMigrations } from './migrate.ts';
import { startMaintenance } from './pglite/maintenance.ts';
import { hasPglite, openPglite } from './pglite/open-pglite.ts';
import { type Listener, type Listening, startListening } from './postgres/listen.ts';
import { openPostgres } from './postgres/open-postgres.ts';
import type { StoreClientConfig } from './store-client.ts';
import { withStoreErrors } from './store-errors.ts';
import { createStoreHealth } from './store-health.ts';
import { type BeginTogether, sendTogether } from './together.ts';
import { runTransaction, type StoreTransaction } from './transaction.ts';

/** The location of the store and, if several share one database, its schema. */
export type StoreOptions = {
  /** Directory of all the server's files; created if it does not exist, and closed to other users if it does. */
  readonly dataDir: string;
  /** A PostgreSQL address (postgres://…). Absent: the embedded store in `<dataDir>/store`. */
  readonly databaseUrl?: string | undefined;
  /** The SQL schema that holds the tables. Default `keyslot`. */
  readonly schema?: string | undefined;
};

export type Store = {
  readonly kind: Backend['kind'];
  /** One query layer over both kinds. */
  readonly db: Omit<NodePgDatabase, 'transaction'>;
  /**
   * Runs a transaction (see `runTransaction`). The embedded store has a single connection: in `work` use its argument only, a query on `db`
   * would wait for the transaction and end in its deadline.
   */
  readonly transaction: <T>(
    work: (tx: StoreTransaction) => Promise<T>,
    config?: PgTransactionConfig,
  ) => Promise<T>;
  /** Runs statements in one round trip (see `sendTogether`). Not inside a transaction. */
  together<T extends readonly unknown[]>(begin: BeginTogether<T>): Promise<T>;
  /**
   * Listens to notifications of other processes on a channel (`pg_notify`). Undefined for the embedded store: there is no other process.
   * @throws ServiceError storeUnavailable when the store cannot be listened to; any error of `onConnected`.
   */
  readonly listen: ((channel: string, listener: Listener) => Promise<Listening>) | undefined;
  /** Closes the connections and releases the data directory. May be called twice. */
  close(): Promise<void>;
  /**
   * Resolves when the store answers and, as far as is known, can be written to (see `createStoreHealth`).
   * @throws ServiceError storeUnavailable when it does not within its deadline, or cannot.
   */
  ping(): Promise<void>;
};

/** True when there may be a store to open; if there is none, opening creates one. */
export function hasStore({ dataDir, databaseUrl }: StoreOptions): boolean {
  return databaseUrl !== undefined || hasPglite(dataDir);
}

/**
 * Opens the store, migrates its tables and returns it ready for queries.
 * @throws ServiceError dataDirectoryLocked when another process has the embedded store open, naming that process; dataDirectoryNotPrivate
 *   when something in the data directory stays open to other users; storeUnavailable when the store cannot be opened, reached or migrated,
 *   naming where and why, never a password.
 */
export async function openStore(options: StoreOptions, log: Logger): Promise<Store> {
  const schema = options.schema ?? 'keyslot';
  const backend = await openBackend(options, log);
  try {
    await withStoreErrors(backend.where, () => prepare(backend, schema));
  } catch (error) {
    await backend.close();
    throw error;
  }
  return connect(backend, schema, log);
}

async function prepare({ clientConfig, assertSound, explain }: Backend, schema: string): Promise<void> {
  try {
    await applyMigrations(clientConfig, schema, assertSound);
  } catch (error) {
    throw explain?.(error) ?? error;
  }
}

/** With a PostgreSQL, the data directory holds the rest: keys, heads of the audit log, the admin socket. */
async function openBackend({ dataDir, databaseUrl }: StoreOptions, log: Logger): Promise<Backend> {
  if (databaseUrl === undefined) return openPglite(dataDir, log);
  makeDataPrivate(dataDir, log);
  return openPostgres(databaseUrl);
}

function connect(backend: Backend, schema: string, log: Logger): Store {
  const { kind, where, clientConfig, directory } = backend;
  const onFailure = (error: Error): void => health.note(error);
  const config: pg.PoolConfig & StoreClientConfig = {
    ...{ ...clientConfig, onFailure },
    Client: backend.Client,
    max: backend.maxConnections,
    onConnect: (client) => client.query(`set search_path to ${pg.escapeIdentifier(schema)}`),
  };
  const pool = new pg.Pool(config);
  const health = createStoreHealth({ pool, where, directory });
  // The query reports a connection that breaks in a transaction; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) => log.error({ err: error, store: backend.where }, 'a store connection broke'));
  const listen = (channel: string, listener: Listener): Promise<Listening> =>
    withStoreErrors(where, () => startListening({ clientConfig, channel, listener, log }));
  const stopMaintenance = kind === 'pglite' ? startMaintenance(pool, log) : () => undefined;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    stopMaintenance();
    return endPool(pool).finally(() => backend.close());
  };
  return {
    kind,
    db: drizzle(pool),
    transaction: (work, config) => runTransaction(pool, work, config),
    together: (begin) => sendTogether(pool, begin),
    listen: kind === 'postgres' ? listen : undefined,
    close: () => (closing ??= close()),
    ping: health.ping,
  };
}

/** Waits for running queries, at most until the close deadline: then the connections are cut. */
async function endPool(pool: pg.Pool): Promise<void> {
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(deadline.resolve, DEADLINES.closeMs);
  await Promise.race([pool.end(), deadline.promise]).finally(() => clearTimeout(timer));
}
