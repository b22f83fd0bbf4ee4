import { PLANS } from '../../../generated/plans.ts';
import { serviceMinutes, serviceMonths, walletMinutes } from '../../store/billing-tables.ts';
import { sql } from '../../store/drizzle.ts';
import { operationCounts } from '../../store/money-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { monthsLater, utcMonth } from '../../core/utc-month.ts';
import { monthSpan } from './month-span.ts';

const PURGE_ROWS = 5_000;
const KEPT_MS = PLANS.availability.kept.days * 86_400_000;

/**
 * Deletes minutes of months that ended longer ago than they are kept, at most 5,000 rows of each table. Those of a month stay while it has no figures in
 * `service_months`, or is not closed for an account that was charged in it: their credit is computed from the minutes. The very
 * first minute stays too: availability is measured from it on.
 *
 * @returns true if there may be more.
 */
export async function purgeMinutes({ db }: Pick<Store, 'db'>, nowMs: number): Promise<boolean> {
  const oldest = await readOldest(db);
  const limit = utcMonth(nowMs - KEPT_MS);
  if (oldest === undefined || oldest >= limit) return false;
  const before = new Date(monthSpan(await findFirstNeeded(db, oldest, limit)).startMs);
  const minutes = await db.execute(sql`
    delete from ${serviceMinutes} where ctid = any(array(
      select ctid from ${serviceMinutes}
      where minute < ${before} and minute > (select min(minute) from ${serviceMinutes})
      order by minute limit ${PURGE_ROWS}))`);
  const requests = await db.execute(sql`
    delete from ${walletMinutes} where ctid = any(array(
      select ctid from ${walletMinutes} where minute < ${before} order by minute limit ${PURGE_ROWS}))`);
  return minutes.rowCount === PURGE_ROWS || requests.rowCount === PURGE_ROWS;
}

/** Returns the month of the oldest minute that may be deleted one day. */
async function readOldest(db: Store['db']): Promise<string | undefined> {
  const { rows } = await db.execute<{ readonly oldest: Date | string | null }>(sql`
    select least(
      (select minute from ${serviceMinutes} order by minute offset 1 limit 1),
      (select min(minute) from ${walletMinutes})
    ) as oldest`);
  const oldest = rows[0]?.oldest ?? null;
  return oldest === null ? undefined : utcMonth(new Date(oldest).getTime());
}

/** Returns the first month up to `limit` whose minutes are needed. */
async function findFirstNeeded(db: Store['db'], oldest: string, limit: string): Promise<string> {
  type Row = { readonly kept: string | null; readonly open: string | null };
  const { rows } = await db.execute<Row>(sql`
    select (select max(month) from ${serviceMonths}) as kept, (
      select min(c.month) from ${operationCounts} c
      where c.amount > 0 and c.month >= ${oldest} and c.month < ${limit}
        and not c.is_closed
    ) as open`);
  const { kept = null, open = null } = rows[0] ?? {};
  const needed = [limit, kept === null ? oldest : monthsLater(kept, 1), open ?? limit];
  return needed.reduce((first, month) => (month < first ? month : first));
}

const DAY_MS = 86_400_000;
/** Another server may store its counts of a minute this much later. */
const COUNTED_MS = 3_600_000;

/**
 * Deletes the requests of accounts in minutes in which none of them failed, which nothing is computed from: at most 5,000, of minutes that
 * are an hour to a day old.
 *
 * @returns true if there may be more.
 */
export async function purgeUnfailed({ db }: Pick<Store, 'db'>, nowMs: number): Promise<boolean> {
  const [from, until] = [new Date(nowMs - DAY_MS), new Date(nowMs - COUNTED_MS)];
  const purged = await db.execute(sql`
    delete from ${walletMinutes} where ctid = any(array(
      select ctid from ${walletMinutes}
      where minute >= ${from} and minute < ${until} and failed = 0 limit ${PURGE_ROWS}))`);
  return purged.rowCount === PURGE_ROWS;
}
