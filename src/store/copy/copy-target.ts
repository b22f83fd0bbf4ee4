import pg from 'pg';
import type { Logger } from 'pino';
import type { Backend } from '../backend.ts';
import { compareMigrations } from '../known-migrations.ts';
import { applyMigrations, MIGRATIONS } from '../migrate.ts';
import { DEFAULT_SCHEMA, openBackend, type StoreOptions } from '../open-backend.ts';
import { withStoreFaults } from '../store-errors.ts';
import { createCopyClient } from './copy-client.ts';
import { withMigrationsUntil } from './migrations-until.ts';
import { readLayout } from './read-layout.ts';
import { createRowWriter, type RowWriter } from './write-rows.ts';

export type CopyTarget = Omit<RowWriter, 'empty'> & { readonly close: () => Promise<void> };

/**
 * Makes the tables that a copy was read from, empty, in a store that nothing else uses.
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
