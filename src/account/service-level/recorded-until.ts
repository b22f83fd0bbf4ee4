import type { SQL } from 'drizzle-orm';
import { PLANS } from '../../../generated/plans.ts';
import { sql } from '../../store/drizzle.ts';
import { MINUTE_MS, monthSpan } from './month-span.ts';

const RECORDED_MS = PLANS.availability.recorded.minutes * MINUTE_MS;
const SETTLED_MS = PLANS.availability.settled.seconds * 1_000;

/** Returns the end of the last minute for which everything is recorded. */
export function recordedUntil(nowMs: number): number {
  return Math.floor((nowMs - SETTLED_MS) / MINUTE_MS) * MINUTE_MS;
}

/** True if the month is over and everything of it is recorded: what other processes counted in it has been stored by now. */
export function isMonthRecorded(month: string, nowMs: number): boolean {
  return nowMs >= monthSpan(month).endMs + RECORDED_MS;
}

/** As `isMonthRecorded`, by the clock of the store: no process whose clock is ahead ends a month before that. */
export function isMonthRecordedByStore(month: SQL): SQL {
  const recorded = sql`now() - make_interval(mins => ${PLANS.availability.recorded.minutes})`;
  return sql`${month} < to_char((${recorded}) at time zone 'UTC', 'YYYY-MM')`;
}
