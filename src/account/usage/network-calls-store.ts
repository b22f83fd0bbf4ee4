import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { countBatch } from './count-batch.ts';
import { networkCalls } from '../../store/usage-tables.ts';
import { DURATIONS_UP_TO_S } from './call-durations.ts';

/** Calls of a network that ended in five minutes, which begin at `startMs`. */
export type NetworkCallsRow = {
  readonly startMs: number;
  readonly network: string;
  readonly calls: number;
  readonly errors: number;
  /** Calls in each bucket of durations, not in those before it. */
  readonly durations: readonly number[];
};

/** Calls that are added together, once. `number` grows by one with each batch of a writer, from 1. */
export type NetworkCallsBatch = {
  readonly writerId: string;
  readonly number: number;
  readonly rows: readonly NetworkCallsRow[];
};

/** Days that calls are kept; the last 30 are shown. */
export const CALLS_KEPT_DAYS = 35;

/** The calls of rows in each bucket of durations, added up. */
export const DURATION_SUMS: SQL = sql.raw(
  `array[${Array.from({ length: DURATIONS_UP_TO_S.length + 1 }, (_, bucket) => `coalesce(sum(durations[${bucket + 1}]), 0)`).join(', ')}]::bigint[]`,
);

const PURGE_ROWS = 5_000;

/**
 * Adds a batch of calls to those of their five minutes, hour and day, in one statement: all or nothing. A batch is never added twice, so one
 * with an unknown outcome can be sent again. Processes may add to the same rows at the same time.
 */
export async function addNetworkCalls(
  { db }: Pick<Store, 'db'>,
  { writerId, number, rows }: NetworkCallsBatch,
  nowMs: number,
): Promise<void> {
  const batch = rows.map(({ startMs, ...row }) => ({ ...row, start: new Date(startMs).toISOString() }));
  await db.execute(sql`
    with fresh as (${countBatch({ writerId, number }, nowMs)}), batch as materialized (
      select * from json_to_recordset(${JSON.stringify(batch)}::json)
        as batch (start timestamptz, network text, calls bigint, errors bigint, durations bigint[])
      where exists (select from fresh)
    ), units as (
      select u.unit, network, u.start, sum(calls) as calls, sum(errors) as errors, ${DURATION_SUMS} as durations
      from batch cross join lateral (values
        ('five_minutes', batch.start),
        ('hour', date_trunc('hour', batch.start, 'UTC')),
        ('day', date_trunc('day', batch.start, 'UTC'))
      ) as u (unit, start)
      group by 1, 2, 3
    )
    insert into ${networkCalls} as kept (unit, network, start, calls, errors, durations)
    select * from units order by unit, network, start
    on conflict (unit, network, start) do update set
      calls = kept.calls + excluded.calls,
      errors = kept.errors + excluded.errors,
      durations = (
        select array_agg(coalesce(a, 0) + coalesce(b, 0) order by bucket)
        from unnest(kept.durations, excluded.durations) with ordinality as pairs (a, b, bucket))`);
}

/**
 * Deletes calls of five minutes, hours and days that began before `beforeMs`, at most 5,000 rows.
 *
 * @returns true if there may be more.
 */
export async function purgeNetworkCalls({ db }: Pick<Store, 'db'>, beforeMs: number): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    delete from ${networkCalls} where ctid = any(array(
      select ctid from ${networkCalls} where start < ${new Date(beforeMs)} order by start limit ${PURGE_ROWS}))`);
  return rowCount === PURGE_ROWS;
}
