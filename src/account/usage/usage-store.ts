import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { usageMinutes, usageWriters } from '../../store/tables.ts';
import { countBatch } from './count-batch.ts';
import { usageSums } from '../../store/usage-tables.ts';
import { accountOf, ofOwners, SUMS } from './usage-sums.ts';

/** The calls of one key to one method of one network in one minute, and the messages that were pushed to it for them. */
export type UsageRow = {
  readonly minuteMs: number;
  readonly keyId: string;
  readonly network: string;
  readonly method: string;
  readonly calls: number;
  readonly errors: number;
  readonly refused: number;
  readonly weight: number;
  readonly messages: number;
  readonly callerErrors: number;
};

/** Counts that are added together, once. `number` grows by one with each batch of a writer, from 1. */
export type UsageBatch = {
  readonly writerId: string;
  readonly number: number;
  readonly rows: readonly UsageRow[];
};

const PURGE_ROWS = 5_000;
const DAY_MS = 86_400_000;

/**
 * Adds a batch of counts to the stored ones and to their sums, in one statement: all or nothing. A batch is never added twice, so one with an unknown outcome
 * can be sent again. Processes may add to the same rows at the same time.
 */
export async function addUsage(
  store: Store,
  { writerId, number, rows }: UsageBatch,
  nowMs: number,
): Promise<void> {
  const column = <T>(read: (row: UsageRow) => T) => sql.param(rows.map(read));
  await store.db.execute(sql`
    with fresh as (${countBatch({ writerId, number }, nowMs)}), batch as materialized (
      select minute, key_id, network, method,
        sum(calls) as calls, sum(errors) as errors, sum(refused) as refused, sum(weight) as weight,
        sum(messages) as messages, sum(caller_errors) as caller_errors
      from unnest(
      ${column(({ minuteMs }) => new Date(minuteMs).toISOString())}::timestamptz[],
      ${column(({ keyId }) => keyId)}::uuid[],
      ${column(({ network }) => network)}::text[],
      ${column(({ method }) => method)}::text[],
      ${column(({ calls }) => calls)}::bigint[],
      ${column(({ errors }) => errors)}::bigint[],
      ${column(({ refused }) => refused)}::bigint[],
      ${column(({ weight }) => weight)}::bigint[],
      ${column(({ messages }) => messages)}::bigint[],
      ${column(({ callerErrors }) => callerErrors)}::bigint[]
    ) as batch (minute, key_id, network, method, calls, errors, refused, weight, messages, caller_errors)
      where exists (select from fresh)
      group by 1, 2, 3, 4
    ), minutes as (
      insert into ${usageMinutes} (minute, key_id, network, method, calls, errors, refused, weight, messages, caller_errors)
      select * from batch order by minute, key_id, network, method
      on conflict (minute, key_id, network, method) do update set ${addTo(usageMinutes)}
    )
    insert into ${usageSums} (owner_id, series, start, network, method, calls, errors, refused, weight, messages, caller_errors)
    select s.owner_id, s.series, s.start, s.network, s.method, ${SUMS}
    from (select batch.*, ${accountOf(sql`batch.key_id`)} as account_id from batch offset 0) u
    cross join lateral ${ofOwners}
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (owner_id, series, start, network, method) do update set ${addTo(usageSums)}`);
}

function addTo(table: typeof usageMinutes | typeof usageSums): SQL {
  const { calls, errors, refused, weight, messages, callerErrors } = table;
  const added = [calls, errors, refused, weight, messages, callerErrors].map(
    (column) => sql`${sql.identifier(column.name)} = ${column} + excluded.${sql.identifier(column.name)}`,
  );
  return sql.join(added, sql`, `);
}

/**
 * Deletes counts of minutes before `beforeMs` and sums of days before its day, at most 5,000 rows of each, and writers not seen since.
 *
 * @returns true if there may be more.
 */
export async function purgeUsage(store: Store, beforeMs: number): Promise<boolean> {
  const before = new Date(beforeMs);
  const day = new Date(Math.floor(beforeMs / DAY_MS) * DAY_MS);
  const minutes = await store.db.execute(sql`
    delete from ${usageMinutes} where ctid = any(array(
      select ctid from ${usageMinutes} where minute < ${before} order by minute limit ${PURGE_ROWS}))`);
  const sums = await store.db.execute(sql`
    delete from ${usageSums} where ctid = any(array(
      select ctid from ${usageSums} where start < ${day} order by start limit ${PURGE_ROWS}))`);
  await store.db.execute(sql`delete from ${usageWriters} where updated_at < ${before}`);
  return minutes.rowCount === PURGE_ROWS || sums.rowCount === PURGE_ROWS;
}
