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
  /** True while servers are running on it; false for an embedded store, which this process has for itself. */
  readonly isServed: () => Promise<boolean>;
  /** How far the store's clock is before that of this machine, in milliseconds; the embedded store uses this one's. */
  readonly clockAheadMs: () => Promise<number>;
  /** The newest second factors of accounts, at most 1,000: their secrets are sealed under the installation key. */
  readonly secondFactors: () => Promise<readonly SealedFactor[]>;
  readonly close: () => Promise<void>;
};

export type SealedFactor = { readonly ownerId: string; readonly sealed: Uint8Array };

/** Each server listens to the store's notifications, in several sessions of this name. */
const LISTENERS = `
  select 1 from pg_stat_activity
  where datname = current_database() and application_name = 'keyslot listener' limit 1`;

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
        secondFactors: () => readFactors(client, schema),
        isServed: async () => backend.kind === 'postgres' && (await client.query(LISTENERS)).rows.length > 0,
      };
    });
  } catch (error) {
    await close();
    throw error;
  }
}

async function readFactors(client: pg.Client, schema: string): Promise<readonly SealedFactor[]> {
  const table = `${pg.escapeIdentifier(schema)}.two_factors`;
  const { rows } = await client.query<{ account_id: string; sealed_secret: Uint8Array }>(
    `select account_id, sealed_secret from ${table} order by enrolled_at desc limit 1000`,
  );
  return rows.map(({ account_id: ownerId, sealed_secret: sealed }) => ({ ownerId, sealed }));
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
