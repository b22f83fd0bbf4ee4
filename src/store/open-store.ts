import type { Backend } from './backend.ts';
import pg from 'pg';
import type { Logger } from 'pino';
import { Semaphore } from '../core/rpc/semaphore.ts';
import { DEADLINES } from './deadlines.ts';
import { applyMigrations } from './migrate.ts';
import { DEFAULT_SCHEMA, openBackend, type StoreOptions } from './open-backend.ts';
import { copyFiles } from './pglite/copy-files.ts';
import { startMaintenance } from './pglite/maintenance.ts';
import { hasPglite } from './pglite/open-pglite.ts';
import { type Listener, type Listening, startListening } from './postgres/listen.ts';
import type { StoreClientConfig } from './store-client.ts';
import { withStoreErrors } from './store-errors.ts';
import { createStoreHealth } from './store-health.ts';
import { ofEachAccount, onShare, type StoreStatements, statementsOn } from './store-statements.ts';

export type { StoreOptions } from './open-backend.ts';

export type Store = StoreStatements & {
  readonly kind: Backend['kind'];
  /**
   * Listens to notifications of other processes on a channel (`pg_notify`). Undefined for the embedded store: there is no other process.
   * @throws ServiceError storeUnavailable when the store cannot be listened to; any error of `onConnected`.
   */
  readonly listen: ((channel: string, listener: Listener) => Promise<Listening>) | undefined;
  /**
   * Copies the files of the embedded store into a new directory, as of one moment; statements wait meanwhile. Undefined for PostgreSQL,
   * which is read while it is used.
   * @throws ServiceError copyRefused when they cannot be copied within 8 s.
   */
  readonly copyFiles: ((to: string) => Promise<void>) | undefined;
  /** Closes the connections and releases the data directory. May be called twice. */
  close(): Promise<void>;
  /**
   * Resolves when the store answers and, as far as known, can be written to (see `createStoreHealth`).
   * @throws ServiceError storeUnavailable when it does not answer within its deadline, or cannot be written to.
   */
  ping(): Promise<void>;
  /** The same store for one account, if accounts share it. */
  readonly ofAccount?: (accountId: string) => Store;
};

/** A store with lanes. */
export type PrioritizedStore = Omit<Store, 'ofAccount'> & {
  /**
   * The same store for callers that may wait, such as lists and reports. Its statements share a few connections, in order, taking turns
   * with other accounts (`ofAccount`). The other connections stay free for statements of the store itself, which never wait for more than
   * these few.
   */
  readonly lowPriority: Store;
  /**
   * The same store for the wallet service of one account: all its concurrent statements share a few connections. Those of another account
   * never wait for more than these few.
   */
  readonly ofAccount: (accountId: string) => PrioritizedStore;
};

/** True when a store may exist; otherwise opening creates one. */
export function hasStore({ dataDir, databaseUrl }: StoreOptions): boolean {
  return databaseUrl !== undefined || hasPglite(dataDir);
}

/**
 * Opens the store, migrates its tables and returns it ready for queries.
 * @throws ServiceError dataDirectoryLocked when another process has the embedded store open, naming that process; dataDirectoryNotPrivate
 *   when something in the data directory stays open to other users; storeUnavailable when the store cannot be opened, reached or migrated,
 *   naming where and why, never a password.
 */
export async function openStore(options: StoreOptions, log: Logger): Promise<PrioritizedStore> {
  const schema = options.schema ?? DEFAULT_SCHEMA;
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

function connect(backend: Backend, schema: string, log: Logger): PrioritizedStore {
  const { kind, where, clientConfig, directory } = backend;
  const onFailure = (error: Error): void => health.note(error);
  const config: pg.PoolConfig & StoreClientConfig = {
    ...clientConfig,
    onFailure,
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
  const store: Store = {
    kind,
    ...statementsOn(pool),
    listen: kind === 'postgres' ? listen : undefined,
    copyFiles: directory === undefined ? undefined : (to) => copyFiles(pool, directory, to),
    close: () => (closing ??= close()),
    ping: health.ping,
  };
  const { connectionsPerLane } = backend;
  const share = new Semaphore(connectionsPerLane);
  const lowOf = ofEachAccount((accountId) => onShare(pool, share, accountId));
  const lowOfAccount = (accountId: string): Store => ({ ...lowPriority, ...lowOf(accountId) });
  const lowPriority: Store = { ...store, ...onShare(pool, share), ofAccount: lowOfAccount };
  const statementsOf = ofEachAccount(() => onShare(pool, new Semaphore(connectionsPerLane)));
  const ofAccount = (accountId: string): PrioritizedStore => ({
    ...prioritized,
    ...statementsOf(accountId),
    lowPriority: lowOfAccount(accountId),
  });
  const prioritized: PrioritizedStore = { ...store, lowPriority, ofAccount };
  return prioritized;
}

/** Waits for running queries, at most until the close deadline, then cuts the connections. */
async function endPool(pool: pg.Pool): Promise<void> {
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(deadline.resolve, DEADLINES.closeMs);
  await Promise.race([pool.end(), deadline.promise]).finally(() => clearTimeout(timer));
}
