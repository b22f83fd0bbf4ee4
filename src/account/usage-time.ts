import type { SQL } from 'drizzle-orm';
import { sql } from '../store/drizzle.ts';

/** The beginning of the minute, hour or day of an instant, as ISO 8601 in UTC. */
export const TIME_GROUPS: Readonly<Record<'minute' | 'hour' | 'day', (instant: SQL) => SQL>> = {
  minute: (instant) => startOf('minute', instant),
  hour: (instant) => startOf('hour', instant),
  day: (instant) => startOf('day', instant),
};

/** True for a grouping by time: its sums are in ascending order. */
export function isTimeGroup(by: string): by is keyof typeof TIME_GROUPS {
  return Object.hasOwn(TIME_GROUPS, by);
}

function startOf(unit: string, instant: SQL): SQL {
  const start = sql`date_trunc(${sql.raw(`'${unit}'`)}, ${instant}, 'UTC')`;
  return sql`to_char(${start} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}
