import pg from 'pg';
import type { Logger } from 'pino';
import { toError } from './thrown-error.ts';

// What a PostgreSQL leaves to processes beside it (the checkpointer, autovacuum), and PGlite has nobody for.

/** How often is looked whether there is something to do. */
const EVERY_MS = 5_000;

/** Where more was logged since the last checkpoint, there is another: what was logged is read again after a crash, at some 30 MB/s. */
const CHECKPOINT_BYTES = 64 * 2 ** 20;

const LOGGED_BYTES = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes
  from pg_control_checkpoint()`;

/**
 * Tables in which a fifth of the rows is dead, the share that autovacuum has as well, or that have a fifth more pages than when they were
 * vacuumed last, or 64 MB: how many rows were dead is not known any more after a start, and a vacuum looks at all pages that changed. The one
 * that has waited longest comes first: one that is always due keeps no other from its turn.
 */
const TABLES_TO_VACUUM = `
  select s.schemaname as schema, s.relname as table
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where s.n_dead_tup > 1000 + 0.2 * greatest(c.reltuples, 0)
    or pg_relation_size(c.oid) / current_setting('block_size')::int > c.relpages + least(100 + 0.2 * c.relpages, 8192)
  order by s.last_vacuum nulls first`;

type Table = { readonly schema: string; readonly table: string };

/**
 * Vacuums the first table that is due, or makes a checkpoint where one is due: one of them, because nothing else is done in the embedded store
 * meanwhile. A checkpoint waits for vacuums until twice as much was logged: the first change of a page behind it logs the whole page.
 *
 * @throws what the first vacuum came to that failed, after the others were tried.
 */
export async function maintain(pool: pg.Pool): Promise<void> {
  const { rows: logged } = await pool.query<{ readonly bytes: number }>(LOGGED_BYTES);
  const [{ bytes = 0 } = {}] = logged;
  const failures: unknown[] = [];
  if (bytes >= 2 * CHECKPOINT_BYTES || !(await vacuumOne(pool, failures))) {
    if (bytes >= CHECKPOINT_BYTES) await pool.query('checkpoint');
  }
  if (failures.length > 0) throw failures[0];
}

/** Whether a table was vacuumed. One that cannot be keeps no other from it. */
async function vacuumOne(pool: pg.Pool, failures: unknown[]): Promise<boolean> {
  const { rows: tables } = await pool.query<Table>(TABLES_TO_VACUUM);
  for (const { schema, table } of tables) {
    try {
      await pool.query(`vacuum ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`);
      return true;
    } catch (error) {
      failures.push(error);
    }
  }
  return false;
}

/** Maintains a store again and again. What fails each time is told once. @returns what stops it. */
export function startMaintenance(pool: pg.Pool, log: Logger): () => void {
  let isStopped = false;
  let lastReason = '';
  const step = async (): Promise<void> => {
    const reason = await maintain(pool).then(
      () => '',
      (error: unknown) => toError(error).message,
    );
    if (isStopped) return;
    if (reason !== '' && reason !== lastReason)
      log.warn({ reason }, 'maintenance of the embedded store failed; it will be retried');
    lastReason = reason;
    timer = schedule();
  };
  const schedule = (): NodeJS.Timeout => setTimeout(() => void step(), EVERY_MS).unref();
  let timer = schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
