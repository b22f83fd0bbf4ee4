import { fileURLToPath } from 'node:url';
import { sql } from './drizzle.ts';
import { drizzle } from './drizzle.ts';
import { migrate } from './drizzle.ts';
import pg from 'pg';
import { DEADLINES } from './deadlines.ts';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * Applies the migrations that are new to the schema, all of them or none. Processes that open the same database at the same time take
 * turns: the advisory lock is held until the transaction ends.
 *
 * @param check called once they are applied.
 */
export async function applyMigrations(
  clientConfig: pg.ClientConfig,
  schema: string,
  check: (client: pg.ClientBase, schema: string) => Promise<void> = async () => undefined,
): Promise<void> {
  const client = new pg.Client({
    ...clientConfig,
    query_timeout: DEADLINES.migrationMs,
    statement_timeout: clientConfig.statement_timeout === undefined ? undefined : DEADLINES.migrationMs,
  });
  // The query reports a broken connection; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await drizzle(client).transaction(async (tx) => {
      await tx.execute(
        sql`select pg_advisory_xact_lock(hashtextextended(${`keyslot migrations of ${schema}`}, 0))`,
      );
      await tx.execute(sql`create schema if not exists ${sql.identifier(schema)}`);
      await tx.execute(sql`set local search_path to ${sql.identifier(schema)}`);
      await migrate(tx, {
        migrationsFolder: MIGRATIONS,
        migrationsSchema: schema,
        migrationsTable: 'migrations',
      });
    });
    await check(client, schema);
  } finally {
    await client.end();
  }
}
