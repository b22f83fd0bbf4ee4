import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Backend } from '../backend.ts';
import { compareMigrations, applyMigrations, MIGRATIONS, readJournal } from '../migrate.ts';
import { DEFAULT_SCHEMA, openBackend, type StoreOptions } from '../open-backend.ts';
import { withStoreFaults } from '../store-errors.ts';
import { createCopyClient, type RowPage } from './copy-client.ts';
import { readLayout, type CopiedTable } from './read-layout.ts';
import { serviceError } from '../../core/service-error.ts';

export type CopyTarget = Omit<RowWriter, 'empty'> & { readonly close: () => Promise<void> };

/**
 * Creates the tables of a copy, empty, in a store that nothing else uses.
 *
 * @param copied the instants of their migrations, and the name of the copy for messages.
 * @throws ServiceError `storeUnavailable`; `copyRefused` if the tables are those of a newer version.
 */
export async function openCopyTarget(
  options: StoreOptions,
  copied: { readonly migrations: readonly number[]; readonly where: string },
  log: Logger,
): Promise<CopyTarget> {
  const { schema = DEFAULT_SCHEMA } = options;
  const { migrations, where } = copied;
  const backend = await openBackend(options, log);
  const client = createCopyClient(backend.clientConfig);
  const close = async (): Promise<void> => {
    await client.end();
    await backend.close();
  };
  const guarded = <T>(work: () => Promise<T>): Promise<T> => withStoreFaults(backend.where, work);
  try {
    if (backend.kind === 'pglite' && (await compareMigrations(migrations, MIGRATIONS)) === 'older')
      await guarded(() => dropTables(backend, schema));
    await withMigrationsUntil(migrations, where, (folder) =>
      guarded(() => applyMigrations(backend.clientConfig, schema, undefined, folder)),
    );
    await client.connect();
    const tables = await readLayout(client, schema);
    const writer = createRowWriter(client, { schema, tables, where });
    await guarded(writer.empty);
    return {
      write: (page) => guarded(() => writer.write(page)),
      finish: () => guarded(writer.finish),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A new embedded store may be a copy of the prepared one, with the tables of this version. */
async function dropTables({ clientConfig }: Backend, schema: string): Promise<void> {
  const client = createCopyClient(clientConfig);
  await client.connect();
  try {
    await client.query(`drop schema if exists ${pg.escapeIdentifier(schema)} cascade`);
  } finally {
    await client.end();
  }
}

/**
 * Runs `work` with a folder of only the first migrations: a copy is written to tables of its own version, and migrated afterwards.
 *
 * @param applied the instants of the migrations that the copied tables have, in order.
 * @throws ServiceError `copyRefused` if this version does not know all of them.
 */
async function withMigrationsUntil<T>(
  applied: readonly number[],
  where: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const journal = await readJournal(MIGRATIONS);
  const { entries } = journal;
  if ((await compareMigrations(applied, MIGRATIONS)) === 'unknown')
    throw serviceError('copyRefused', {
      where,
      reason: `its tables are from another version: this version lacks some of their ${applied.length} migrations; use the version that wrote it, or a newer one`,
    });
  if (applied.length === entries.length) return work(MIGRATIONS);
  const folder = await mkdtemp(join(tmpdir(), 'keyslot-migrations-'));
  try {
    const kept = entries.slice(0, applied.length);
    await mkdir(join(folder, 'meta'));
    await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries: kept }));
    for (const { tag } of kept) await copyFile(join(MIGRATIONS, `${tag}.sql`), join(folder, `${tag}.sql`));
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds rows to the tables of a schema that nothing else uses. */
type RowWriter = {
  /** Removes the rows that migrations have added: the copied rows include them in their current state. */
  readonly empty: () => Promise<void>;
  /** @throws ServiceError `copyRefused` when the table has other columns. */
  readonly write: (page: RowPage) => Promise<void>;
  /** Continues the numbering of new rows after the copied ones. @returns the number of rows in each table. */
  readonly finish: () => Promise<Readonly<Record<string, number>>>;
};

/**
 * Writes rows as they were read. Triggers are disabled while a page is written, since the parts of one movement of money may be on two
 * pages. Their rules are verified afterwards.
 */
function createRowWriter(
  client: pg.ClientBase,
  {
    schema,
    tables,
    where,
  }: { readonly schema: string; readonly tables: readonly CopiedTable[]; readonly where: string },
): RowWriter {
  const nameOf = ({ name }: CopiedTable): string =>
    `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
  const empty = async (): Promise<void> => {
    for (const table of [...tables].reverse()) {
      const { rows } = await client.query(`select 1 from ${nameOf(table)} limit 1`);
      if (rows.length > 0) await client.query(`delete from ${nameOf(table)}`);
    }
  };
  const write = async ({ table: name, columns, rows }: RowPage): Promise<void> => {
    const table = tables.find((one) => one.name === name);
    const known = table?.columns.map((column) => column.name) ?? [];
    if (table === undefined || !hasSame(columns, known))
      throw serviceError('copyRefused', {
        where,
        reason: `its table ${name} has the columns ${columns.join(', ')}, and this version has ${known.join(', ') || 'no such table'}`,
      });
    if (rows.length === 0) return;
    const lists = columns.map((_, at) => rows.map((row) => row[at] ?? null));
    await client.query('begin');
    await client.query(`alter table ${nameOf(table)} disable trigger user`);
    await client.query(insertInto(nameOf(table), table, columns), lists);
    await client.query(`alter table ${nameOf(table)} enable trigger user`);
    await client.query('commit');
  };
  const finish = async (): Promise<Readonly<Record<string, number>>> => {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      for (const { name: column } of table.columns.filter(({ isIdentity }) => isIdentity))
        await client.query(
          `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${pg.escapeIdentifier(column)}), 0) + 1, false) from ${nameOf(table)}`,
          [nameOf(table), column],
        );
      const { rows } = await client.query<{ count: string }>(
        `select count(*) as count from ${nameOf(table)}`,
      );
      counts[table.name] = Number(rows[0]?.count);
    }
    return counts;
  };
  return { empty, write, finish };
}

function insertInto(name: string, table: CopiedTable, columns: readonly string[]): string {
  const typeOf = (column: string) => table.columns.find((one) => one.name === column)?.type ?? 'text';
  const targets = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  const values = columns.map((column, at) => `c${at}::${typeOf(column)}`).join(', ');
  const lists = columns.map((_, at) => `$${at + 1}::text[]`).join(', ');
  const names = columns.map((_, at) => `c${at}`).join(', ');
  return `insert into ${name} (${targets}) overriding system value select ${values} from unnest(${lists}) as copied (${names})`;
}

const hasSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one));
