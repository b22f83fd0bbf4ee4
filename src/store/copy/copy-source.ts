import pg from 'pg';
import type { Logger } from 'pino';
import { serviceError } from '../../core/service-error.ts';
import type { Backend } from '../backend.ts';
import { DEFAULT_SCHEMA, openBackend, type StoreOptions } from '../open-backend.ts';
import { withStoreErrors } from '../store-errors.ts';
import { createCopyClient, type RowPage, type PrintedValue } from './copy-client.ts';
import { type CopiedTable, readLayout } from './read-layout.ts';

/** A store that is read for a copy. */
export type CopySource = {
  readonly kind: Backend['kind'];
  /** Name of the store, without secrets. */
  readonly where: string;
  /** The instants of the migrations that made its tables, in order. */
  readonly migrations: readonly number[];
  /** All rows as of one moment; see `readRows`. */
  readonly pages: () => AsyncGenerator<RowPage>;
  /** True while servers are running on it; false for an embedded store, which only this process uses. */
  readonly isServed: () => Promise<boolean>;
  /** Milliseconds by which the store's clock is ahead of this machine's; 0 for the embedded store. */
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
        kind: backend.kind,
        where: backend.where,
        migrations,
        close,
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

/** Number of rows read at a time. */
const PAGE_ROWS = 500;

/** A copy may wait for a slow disk between two pages. */
const IDLE_MS = 600_000;

const SETTINGS = [
  'set local timezone to utc',
  'set local datestyle to iso',
  "set local bytea_output to 'hex'",
  'set local extra_float_digits to 3',
  `set local idle_in_transaction_session_timeout to ${IDLE_MS}`,
];

/**
 * Reads all tables of a schema as of one moment, whatever is written meanwhile, page by page. A table comes after those that its rows refer
 * to; an empty table gives an empty page.
 */
export async function* readRows(client: pg.ClientBase, schema: string): AsyncGenerator<RowPage> {
  await client.query('begin isolation level repeatable read read only');
  for (const setting of SETTINGS) await client.query(setting);
  for (const table of await readLayout(client, schema)) yield* readTable(client, schema, table);
  await client.query('commit');
}

async function* readTable(
  client: pg.ClientBase,
  schema: string,
  table: CopiedTable,
): AsyncGenerator<RowPage> {
  const { name } = table;
  const columns = table.columns.map((column) => column.name);
  const printed = columns.map((column) => `${pg.escapeIdentifier(column)}::text`).join(', ');
  const from = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
  await client.query(`declare copied no scroll cursor for select ${printed} from ${from}`);
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await client.query<PrintedValue[]>({
      text: `fetch ${PAGE_ROWS} from copied`,
      rowMode: 'array',
    });
    if (rows.length > 0 || isFirst) yield { table: name, columns, rows };
    if (rows.length < PAGE_ROWS) break;
  }
  await client.query('close copied');
}
