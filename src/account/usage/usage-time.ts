import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import type { TimeGroup } from './usage-groups.ts';

/** The beginning of the minute, hour or day of UTC of an instant. */
export function startOf(unit: TimeGroup, instant: SQL): SQL {
  return sql`date_trunc(${sql.raw(`'${unit}'`)}, ${instant}, 'UTC')`;
}

/** An instant as ISO 8601 in UTC, without fractions of seconds. */
export function printInstant(instant: SQL): SQL {
  return sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}
