import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { sql, drizzle, migrate, readMigrationFiles } from './drizzle.ts';
import { DEADLINES } from './deadlines.ts';
import { innermostError } from './store-fault.ts';

/** The folder of all migrations. */
export const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/** PostgreSQL, appendix A: lock not available in time; deadlock. Nothing of the migration is left then. */
const LOCKED = new Set(['55P03', '40P01']);
/** Maximum milliseconds between two attempts. */
const AGAIN_MS = 200;

/**
 * Applies the new migrations to the schema, all of them or none. Processes that open the same database at the same time take turns: the
 * advisory lock is held until the transaction ends. Gateways of the previous version may be running meanwhile: the tables that change are
 * locked first, and if that takes too long all locks are released and taken again in another order.
 *
 * @param check called once they are applied.
 * @param folder the migrations; by default all.
 * @throws UnknownMigrations for tables of another version, which are left as they are.
 */
export async function applyMigrations(
  clientConfig: pg.ClientConfig,
  schema: string,
  check: (client: pg.ClientBase, schema: string) => Promise<void> = async () => undefined,
  folder = MIGRATIONS,
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
    const untilMs = performance.now() + DEADLINES.migrationMs;
    const contested: string[] = [];
    while (!(await isMigrated(client, { schema, folder, contested, isLast: performance.now() > untilMs })))
      await pause(AGAIN_MS * (0.5 + Math.random() / 2));
    await check(client, schema);
  } finally {
    await client.end();
  }
}

type Migrating = Pick<NodePgDatabase, 'execute'>;

type Attempt = {
  readonly schema: string;
  readonly folder: string;
  readonly isLast: boolean;
  /** Tables that could not be locked in earlier attempts, the latest one first. */
  readonly contested: string[];
};

/** @returns false if a lock was not available, and this is not the last attempt. */
async function isMigrated(client: pg.Client, attempt: Attempt): Promise<boolean> {
  const { schema, folder, isLast, contested } = attempt;
  let wanted: string | undefined;
  try {
    await drizzle(client).transaction(async (tx) => {
      await tx.execute(
        sql`select pg_advisory_xact_lock(hashtextextended(${`keyslot migrations of ${schema}`}, 0))`,
      );
      await tx.execute(sql`create schema if not exists ${sql.identifier(schema)}`);
      await tx.execute(sql`set local search_path to ${sql.identifier(schema)}`);
      const untilMs = performance.now() + DEADLINES.migrationLocksMs;
      const waitAtMost = (ms: number) => tx.execute(sql.raw(`set local lock_timeout = ${ms}`));
      for (wanted of await tablesToLock(tx, attempt)) {
        await waitAtMost(Math.max(1, Math.ceil(untilMs - performance.now())));
        await tx.execute(sql`lock table ${sql.identifier(wanted)} in access exclusive mode`);
      }
      wanted = undefined;
      await waitAtMost(DEADLINES.migrationLocksMs);
      await migrate(tx, {
        migrationsFolder: folder,
        migrationsSchema: schema,
        migrationsTable: 'migrations',
      });
    });
    return true;
  } catch (error) {
    const { code = '' } = innermostError(error) as { readonly code?: string };
    if (isLast || !LOCKED.has(code)) throw error;
    if (wanted !== undefined) contested.unshift(wanted);
    return false;
  }
}

/**
 * Returns the tables that the new migrations name, beginning with those that could not be locked before: requests take such a table before
 * the others, so when it is locked first, they wait there and hold no other needed lock.
 */
async function tablesToLock(tx: Migrating, { folder, contested }: Attempt): Promise<readonly string[]> {
  const names = await tx.execute(
    sql`select tablename as name from pg_tables where schemaname = current_schema()`,
  );
  const tables = names.rows.map(({ name }) => String(name));
  if (!tables.includes('migrations')) return [];
  const lastAt = Math.max(0, ...(await readKnown(tx, folder)));
  const statements = readMigrationFiles({ migrationsFolder: folder })
    .filter(({ folderMillis }) => folderMillis > lastAt)
    .flatMap((migration) => migration.sql)
    .join('\n');
  const named = tables.filter((table) => new RegExp(`\\b${table}\\b`).test(statements));
  const rankOf = (table: string): number =>
    contested.includes(table) ? contested.indexOf(table) : contested.length;
  return named.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Returns the instants of the migrations that the tables have. @throws UnknownMigrations if the folder lacks one of them. */
async function readKnown(tx: Migrating, folder: string): Promise<readonly number[]> {
  const { rows } = await tx.execute(sql`select created_at as at from migrations order by id`);
  const applied = rows.map(({ at }) => Number(at));
  if ((await compareMigrations(applied, folder)) === 'unknown') throw new UnknownMigrations();
  return applied;
}

/** The journal of a migrations folder, as drizzle-kit writes it. */
type MigrationJournal = {
  readonly entries: readonly { readonly tag: string; readonly when: number }[];
};

/** The tables have migrations that this version does not know, so it must not write to them. */
class UnknownMigrations extends Error {
  override readonly name = 'UnknownMigrations';

  constructor() {
    super(
      'its tables were migrated by another version of Keyslot, most likely a newer one. Nothing was changed: start that version or a newer one, or restore a backup that this version made (docs/operate.md, "Upgrade")',
    );
  }
}

/** Reads the journal of a migrations folder. */
export async function readJournal(folder: string): Promise<MigrationJournal> {
  return JSON.parse(await readFile(join(folder, 'meta', '_journal.json'), 'utf8')) as MigrationJournal;
}

/** Compares the instants of applied migrations, in order, with those of a folder: `older` tables lack the last ones. */
export async function compareMigrations(
  applied: readonly number[],
  folder: string,
): Promise<'same' | 'older' | 'unknown'> {
  const { entries } = await readJournal(folder);
  if (applied.length > entries.length || applied.some((when, at) => entries[at]?.when !== when))
    return 'unknown';
  return applied.length === entries.length ? 'same' : 'older';
}
