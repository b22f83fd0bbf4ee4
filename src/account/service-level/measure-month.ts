import { PLANS } from '../../../generated/plans.ts';
import { serviceMinutes, walletMinutes } from '../../store/billing-tables.ts';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { accounts } from '../../store/tables.ts';
import { clip, MILLIONTHS, MINUTE_MS, minutesIn, monthSpan, type Span, without } from './month-span.ts';
import { plannedMinutes, readPlannedWork } from './planned-work-rows.ts';
import { recordedUntil } from './recorded-until.ts';

/** See `Availability`; `wholeMonth` are the minutes that count once the month is over, by the work announced so far. */
export type MeasuredMonth = {
  readonly minutes: number;
  readonly planned: number;
  readonly unavailable: bigint;
  readonly wholeMonth: number;
};

/** A month of an account, or of the service as such: without the requests of accounts. */
export type MonthQuery = {
  readonly accountId?: string;
  readonly month: string;
  readonly nowMs: number;
};

type Db = Pick<Store['db'], 'execute' | 'select'>;
type Bounds = { readonly first: Date | string | null; readonly created: Date | string | null };

const PARTS = sql.raw(String(PLANS.availability.proof.parts_per_minute));
const WHOLE = sql.raw(String(MILLIONTHS));

/**
 * Adds up a month from the first minute on in which the whole minute could be available: after the first proof ever. Minutes before an
 * account was created were available to it.
 */
export async function measureMonth(db: Db, query: MonthQuery): Promise<MeasuredMonth> {
  const month = monthSpan(query.month);
  const { firstMs, createdMs } = await readBounds(db, query);
  const startMs = Math.min(Math.max(month.startMs, firstMs), month.endMs);
  const whole = { startMs, endMs: month.endMs };
  const untilMs = Math.max(Math.min(month.endMs, recordedUntil(query.nowMs)), startMs);
  const span = { startMs, endMs: untilMs };
  const planned = plannedMinutes(await readPlannedWork(db, month), month);
  const counted = without(span, planned);
  const minutes = minutesIn(counted);
  return {
    minutes,
    planned: minutesIn([span]) - minutes,
    unavailable: await sumUnavailable(
      db,
      clip(counted, { startMs: createdMs, endMs: untilMs }),
      query.accountId,
    ),
    wholeMonth: minutesIn(without(whole, planned)),
  };
}

async function readBounds(
  db: Db,
  { accountId, nowMs }: MonthQuery,
): Promise<{ readonly firstMs: number; readonly createdMs: number }> {
  const created =
    accountId === undefined
      ? sql`null`
      : sql`(select ${accounts.createdAt} from ${accounts} where ${accounts.id} = ${accountId})`;
  const { rows } = await db.execute<Bounds>(
    sql`select (select min(${serviceMinutes.minute}) from ${serviceMinutes}) as first, ${created} as created`,
  );
  const { first = null, created: createdAt = null } = rows[0] ?? {};
  const firstMs = first === null ? nowMs : new Date(first).getTime() + MINUTE_MS;
  const createdMs = createdAt === null ? 0 : new Date(createdAt).getTime();
  const whole = (ms: number): number => Math.ceil(ms / MINUTE_MS) * MINUTE_MS;
  return { firstMs: whole(firstMs), createdMs: whole(createdMs) };
}

/** Minutes without a row were down. Failed requests count where more of them failed than parts of the minute were down. */
async function sumUnavailable(
  db: Db,
  counted: readonly Span[],
  accountId: string | undefined,
): Promise<bigint> {
  if (counted.length === 0) return 0n;
  const column = (read: (span: Span) => number) =>
    sql`${sql.param(counted.map((span) => new Date(read(span)).toISOString()))}::timestamptz[]`;
  const spans = sql`unnest(${column(({ startMs }) => startMs)}, ${column(({ endMs }) => endMs)}) as spans (starts, ends)`;
  const down = sql`((${PARTS} - bit_count(s.slots::bit(${PARTS}))) * ${WHOLE} / ${PARTS})`;
  const failed =
    accountId === undefined
      ? sql`0`
      : sql`(
        select coalesce(sum(greatest(w.failed * ${WHOLE} / greatest(w.requests, w.failed) - ${down}, 0)), 0)
        from ${spans} join ${walletMinutes} w on w.account_id = ${accountId} and w.minute >= starts and w.minute < ends and w.failed > 0
        join ${serviceMinutes} s on s.minute = w.minute)`;
  const { rows } = await db.execute<{ readonly unavailable: string }>(sql`
    select ${minutesIn(counted)} * ${WHOLE}::bigint - count(*) * ${WHOLE} + coalesce(sum(${down}), 0) + ${failed} as unavailable
    from ${spans} join ${serviceMinutes} s on s.minute >= starts and s.minute < ends`);
  return BigInt(rows[0]?.unavailable ?? 0);
}
