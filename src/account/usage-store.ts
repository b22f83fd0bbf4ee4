import { sql } from '../store/drizzle.ts';
import type { Store } from '../store/open-store.ts';
import { usageMinutes, usageWriters } from '../store/tables.ts';

/** The calls of one key to one method of one network in one minute. */
export type UsageRow = {
  readonly minuteMs: number;
  readonly keyId: string;
  readonly network: string;
  readonly method: string;
  readonly calls: number;
  readonly errors: number;
  readonly refused: number;
  readonly weight: number;
};

/** Counts that are added together, once. `number` grows by one with each batch of a writer, from 1. */
export type UsageBatch = {
  readonly writerId: string;
  readonly number: number;
  readonly rows: readonly UsageRow[];
};

const PURGE_ROWS = 5_000;

/**
 * Adds a batch of counts to the stored ones, in one statement: all or nothing. A batch is never added twice, so one with an unknown outcome
 * can be sent again. Processes may add to the same rows at the same time.
 */
export async function addUsage(
  store: Store,
  { writerId, number, rows }: UsageBatch,
  nowMs: number,
): Promise<void> {
  const column = <T>(read: (row: UsageRow) => T) => sql.param(rows.map(read));
  await store.db.execute(sql`
    with fresh as (
      insert into ${usageWriters} (id, batches, updated_at) values (${writerId}, ${number}, ${new Date(nowMs)})
      on conflict (id) do update set batches = excluded.batches, updated_at = excluded.updated_at
      where ${usageWriters.batches} < excluded.batches
      returning id
    )
    insert into ${usageMinutes} (minute, key_id, network, method, calls, errors, refused, weight)
    select minute, key_id, network, method, sum(calls), sum(errors), sum(refused), sum(weight)
    from unnest(
      ${column(({ minuteMs }) => new Date(minuteMs).toISOString())}::timestamptz[],
      ${column(({ keyId }) => keyId)}::uuid[],
      ${column(({ network }) => network)}::text[],
      ${column(({ method }) => method)}::text[],
      ${column(({ calls }) => calls)}::bigint[],
      ${column(({ errors }) => errors)}::bigint[],
      ${column(({ refused }) => refused)}::bigint[],
      ${column(({ weight }) => weight)}::bigint[]
    ) as batch (minute, key_id, network, method, calls, errors, refused, weight)
    where exists (select from fresh)
    group by minute, key_id, network, method
    order by minute, key_id, network, method
    on conflict (minute, key_id, network, method) do update set
      calls = ${usageMinutes.calls} + excluded.calls,
      errors = ${usageMinutes.errors} + excluded.errors,
      refused = ${usageMinutes.refused} + excluded.refused,
      weight = ${usageMinutes.weight} + excluded.weight`);
}

/**
 * Deletes counts of minutes before `beforeMs`, at most 5,000 rows, and writers not seen since.
 *
 * @returns true if there may be more.
 */
export async function purgeUsage(store: Store, beforeMs: number): Promise<boolean> {
  const before = new Date(beforeMs);
  const { rowCount } = await store.db.execute(sql`
    delete from ${usageMinutes} where ctid = any(array(
      select ctid from ${usageMinutes} where minute < ${before} order by minute limit ${PURGE_ROWS}))`);
  await store.db.execute(sql`delete from ${usageWriters} where updated_at < ${before}`);
  return rowCount === PURGE_ROWS;
}
