import pg from 'pg';
import type { Logger } from 'pino';

// What a PostgreSQL leaves to processes beside it (the checkpointer, autovacuum), and PGlite has nobody for.

/** How often is looked whether there is something to do. */
const EVERY_MS = 5_000;

/** Where more was logged since the last checkpoint, there is another: what was logged is read again after a crash, at some 30 MB/s. */
const CHECKPOINT_BYTES = 64 * 2 ** 20;

const IS_CHECKPOINT_DUE = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) >= ${CHECKPOINT_BYTES} as due
  from pg_control_checkpoint()`;

/**
 * Tables in which a fifth of the rows is dead, the share that autovacuum has as well, or that have a fifth more pages than when they were
 * vacuumed last: how many rows were dead is not known any more after a start.
 */
const TABLES_TO_VACUUM = `
  select s.schemaname as schema, s.relname as table
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where s.n_dead_tup > 1000 + 0.2 * greatest(c.reltuples, 0)
    or pg_relation_size(c.oid) / current_setting('block_size')::int > 100 + 1.2 * c.relpages`;

/** Makes a checkpoint and vacuums tables where they are due. While it does nothing else is done in the embedded store. */
export async function maintain(pool: pg.Pool): Promise<void> {
  const { rows: checkpoints } = await pool.query<{ readonly due: boolean }>(IS_CHECKPOINT_DUE);
  if (checkpoints[0]?.due === true) await pool.query('checkpoint');
  const { rows: tables } = await pool.query<{ readonly schema: string; readonly table: string }>(
    TABLES_TO_VACUUM,
  );
  for (const { schema, table } of tables) {
    await pool.query(`vacuum ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`);
  }
}

/** Maintains a store again and again. @returns what stops it. */
export function startMaintenance(pool: pg.Pool, log: Logger): () => void {
  let isStopped = false;
  const step = (): void => {
    maintain(pool)
      .catch((error: unknown) => {
        if (!isStopped) log.warn({ err: error }, 'the embedded store was not maintained; it is tried again');
      })
      .finally(() => {
        if (!isStopped) timer = setTimeout(step, EVERY_MS).unref();
      });
  };
  let timer = setTimeout(step, EVERY_MS).unref();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
