import pg from 'pg';
import type { Logger } from 'pino';
import { serviceError } from '../../base/service-error.ts';
import type { Backend } from '../backend.ts';
import { DEFAULT_SCHEMA, openBackend, type StoreOptions } from '../open-backend.ts';
import { withStoreErrors } from '../store-errors.ts';
import { createCopyClient } from './copy-client.ts';
import { readRows } from './read-rows.ts';
import type { RowPage } from './row-page.ts';

/** A store that is read for a copy. */
export type CopySource = {
  readonly kind: Backend['kind'];
  /** Name of the store, without secrets. */
  readonly where: string;
  /** The instants of the migrations that made its tables, in order. */
  readonly migrations: readonly number[];
  /** All rows as they are at one moment; see `readRows`. */
  readonly pages: () => AsyncGenerator<RowPage>;
  /** Number of sessions of running servers; 0 for an embedded store, which this process has for itself. */
  readonly countServers: () => Promise<number>;
  /** How far the store's clock is before that of this machine, in milliseconds; the embedded store uses this one's. */
  readonly clockAheadMs: () => Promise<number>;
  readonly close: () => Promise<void>;
};

/** Each server listens to the store's notifications in a session of this name. */
const SERVERS = `
  select count(*)::int as count from pg_stat_activity
  where datname = current_database() and application_name = 'keyslot listener'`;

/**
 * Opens a store for a copy of it. Unlike `openStore` it changes nothing: the tables may be those of an earlier version that is running.
 *
 * @throws ServiceError `dataDirectoryLocked`, `storeUnavailable`; `copyRefused` if it has no tables.
 */
export async function openCopySource(options: StoreOptions, log: Logger): Promise<CopySource> {
  const schema = options.schema ?? DEFAULT_SCHEMA;
  const backend = await openBackend(options, log);
  const client = createCopyClient(backend.clientConfig);
  const close = async (): Promise<void> => {
    await client.end();
    await backend.close();
  };
  try {
    return await withStoreErrors(backend.where, async () => {
      await client.connect();
      const migrations = await readMigrations(client, schema);
      if (migrations === undefined)
        throw serviceError('copyRefused', {
          where: backend.where,
          reason: `it has no tables of Keyslot in the schema ${schema}`,
        });
      return {
        ...{ kind: backend.kind, where: backend.where, migrations, close },
        pages: () => readRows(client, schema),
        clockAheadMs: () => readClock(client),
        countServers: async () =>
          backend.kind === 'pglite'
            ? 0
            : ((await client.query<{ count: number }>(SERVERS)).rows[0]?.count ?? 0),
      };
    });
  } catch (error) {
    await close();
    throw error;
  }
}

async function readClock(client: pg.Client): Promise<number> {
  const sentMs = Date.now();
  const { rows } = await client.query<{ ms: string }>(
    'select extract(epoch from clock_timestamp()) * 1000 as ms',
  );
  return Number(rows[0]?.ms) - (sentMs + Date.now()) / 2;
}

/** Undefined: the schema has no migrations. */
async function readMigrations(client: pg.Client, schema: string): Promise<readonly number[] | undefined> {
  const table = `${pg.escapeIdentifier(schema)}.migrations`;
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    table,
  ]);
  if (rows[0]?.there !== true) return undefined;
  const found = await client.query<{ when: string }>(
    `select created_at::text as when from ${table} order by id`,
  );
  return found.rows.map(({ when }) => Number(when));
}
