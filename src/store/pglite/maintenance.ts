import pg from 'pg';
import type { Logger } from 'pino';
import { toError } from './thrown-error.ts';

// Work that PostgreSQL leaves to background processes (the checkpointer, autovacuum), which PGlite lacks.

/** Interval between checks for due work. */
const EVERY_MS = 5_000;

/** A checkpoint is due after this much log: after a crash it is replayed at some 30 MB/s. */
const CHECKPOINT_BYTES = 64 * 2 ** 20;

const LOGGED_BYTES = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes
  from pg_control_checkpoint()`;

/**
 * Tables with a fifth of dead rows, autovacuum's share as well, or with a fifth more pages, or 64 MB more, than at their last vacuum: the
 * number of dead rows is lost at a start, and a vacuum reads all changed pages. The table that has waited longest comes first, so that one
 * that is always due does not block others.
 */
const TABLES_TO_VACUUM = `
  select s.schemaname as schema, s.relname as table
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where s.n_dead_tup > 1000 + 0.2 * greatest(c.reltuples, 0)
    or pg_relation_size(c.oid) / current_setting('block_size')::int > c.relpages + least(100 + 0.2 * c.relpages, 8192)
  order by s.last_vacuum nulls first`;

type Table = { readonly schema: string; readonly table: string };

/**
 * Vacuums the first table that is due, or makes a checkpoint if one is due: only one of them, because it blocks the embedded store. A
 * checkpoint waits for vacuums until twice as much was logged: the first change of a page after it logs the whole page.
 *
 * @throws the error of the first vacuum that failed, after the others were tried.
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

/** Returns true if a table was vacuumed. A failing table does not block others. */
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

/** Maintains a store periodically. Repeated failures are logged once. @returns a function that stops it. */
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
