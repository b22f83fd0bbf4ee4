import { type MeasuredMonth, measureMonth } from './measure-month.ts';
import { utcMonth, monthsLater } from '../../core/utc-month.ts';
import { recordedUntil, isMonthRecorded } from './recorded-until.ts';
import { serviceMinutes, serviceMonths } from '../../store/billing-tables.ts';
import { max, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';

/** Measures the current month of an account. */
export type MeasureCurrent = (accountId: string, nowMs: number) => Promise<MeasuredMonth>;

/**
 * Remembers what was measured until the next minute is recorded: adding up a month reads its 44,640 minutes, and nothing new is known
 * before. A failure is not remembered.
 */
export function rememberMonths(
  measure: (query: {
    readonly accountId: string;
    readonly month: string;
    readonly nowMs: number;
  }) => Promise<MeasuredMonth>,
): MeasureCurrent {
  const known = new Map<string, Promise<MeasuredMonth>>();
  let measuredAt = '';
  return (accountId, nowMs) => {
    const month = utcMonth(nowMs);
    const now = `${month} ${recordedUntil(nowMs)}`;
    if (now !== measuredAt) known.clear();
    measuredAt = now;
    const remembered = known.get(accountId);
    if (remembered !== undefined) return remembered;
    const measured = measure({ accountId, month, nowMs });
    known.set(accountId, measured);
    measured.catch(() => {
      if (known.get(accountId) === measured) known.delete(accountId);
    });
    return measured;
  };
}

/**
 * Keeps the figures of the oldest month that is over and recorded and has none yet, those of the service without single accounts. Several
 * servers may do it at once.
 *
 * @returns true if there may be more such months.
 */
export async function keepServiceMonth({ db }: Pick<Store, 'db'>, nowMs: number): Promise<boolean> {
  const month = await findNext(db);
  if (month === undefined || !isMonthRecorded(month, nowMs)) return false;
  const { minutes, planned, unavailable } = await measureMonth(db, { month, nowMs });
  await db.insert(serviceMonths).values({ month, minutes, planned, unavailable }).onConflictDoNothing();
  return true;
}

async function findNext(db: Store['db']): Promise<string | undefined> {
  const [kept] = await db.select({ last: max(serviceMonths.month) }).from(serviceMonths);
  if (kept !== undefined && kept.last !== null) return monthsLater(kept.last, 1);
  const { rows } = await db.execute<{ readonly first: Date | string | null }>(
    sql`select min(${serviceMinutes.minute}) as first from ${serviceMinutes}`,
  );
  const first = rows[0]?.first ?? null;
  return first === null ? undefined : utcMonth(new Date(first).getTime());
}
