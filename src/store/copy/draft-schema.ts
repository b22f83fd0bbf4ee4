import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { serviceError } from '../../core/service-error.ts';
import { DEFAULT_SCHEMA } from '../open-backend.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { withStoreErrors } from '../store-errors.ts';
import { createCopyClient } from './copy-client.ts';

/** A schema of a PostgreSQL that a copy is written to, before it replaces the store's. */
export type DraftSchema = {
  readonly name: string;
  /** Renames it to the store's schema, in one step. @throws ServiceError `copyRefused` if that has tables by now. */
  readonly publish: () => Promise<void>;
  /** Removes it if it was not published, and ends the session that holds it. */
  readonly close: () => Promise<void>;
};

const PREFIX = 'keyslot_draft_';

const TABLES = `
  select count(*)::int as count from pg_class
  where relkind in ('r', 'p', 'v', 'm') and relnamespace = to_regnamespace($1)`;

const DRAFTS = `select nspname as name from pg_namespace where starts_with(nspname, $1)`;

/**
 * Reserves a schema for a copy. Drafts that killed processes left are removed.
 *
 * @throws ServiceError `copyRefused` if the store's schema has tables; `storeUnavailable`.
 */
export async function openDraftSchema(databaseUrl: string): Promise<DraftSchema> {
  const { where, clientConfig } = openPostgres(databaseUrl);
  const client = createCopyClient(clientConfig);
  return withStoreErrors(where, async () => {
    await client.connect();
    try {
      await assertEmpty(client, where);
      await removeDrafts(client);
      const name = `${PREFIX}${randomBytes(6).toString('hex')}`;
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
      let isPublished = false;
      return {
        name,
        publish: () =>
          withStoreErrors(where, async () => {
            await publish(client, name, where);
            isPublished = true;
          }),
        close: async () => {
          if (!isPublished) await client.query(`drop schema if exists ${name} cascade`);
          await client.end();
        },
      };
    } catch (error) {
      await client.end();
      throw error;
    }
  });
}

async function assertEmpty(client: pg.Client, where: string): Promise<void> {
  const { rows } = await client.query<{ count: number }>(TABLES, [DEFAULT_SCHEMA]);
  const count = rows[0]?.count ?? 0;
  if (count === 0) return;
  throw serviceError('copyRefused', {
    where,
    reason: `its schema ${DEFAULT_SCHEMA} has ${count} tables, and must be empty: nothing is overwritten. Use another database, or drop that schema if nobody needs it`,
  });
}

/** The lock of a living process is held by its session. */
async function removeDrafts(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(DRAFTS, [PREFIX]);
  for (const { name } of rows) {
    const lock = await client.query<{ held: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
      [name],
    );
    if (lock.rows[0]?.held !== true) continue;
    await client.query(`drop schema if exists ${pg.escapeIdentifier(name)} cascade`);
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
  }
}

/** A server that starts at the same time waits for the lock of the migrations, and then finds the tables. */
async function publish(client: pg.Client, name: string, where: string): Promise<void> {
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `keyslot migrations of ${DEFAULT_SCHEMA}`,
    ]);
    await assertEmpty(client, where);
    await client.query(`drop schema if exists ${DEFAULT_SCHEMA} cascade`);
    await client.query(`alter schema ${name} rename to ${DEFAULT_SCHEMA}`);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
