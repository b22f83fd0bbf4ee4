import { utcMonth } from '../../base/utc-month.ts';
import { clip, minutesIn, monthSpan, type Span } from './month-span.ts';
import { type AnnouncedWork, isInTime, plannedMinutes } from './planned-minutes.ts';

/** The minutes of work that are left out of availability, and the reason why others are not. */
export type WorkStanding = {
  /** Minutes of the work. */
  readonly minutes: number;
  /** Those of them that do not count towards availability. */
  readonly excluded: number;
  /** The reason why the rest counts as any other minute; undefined if all are excluded. */
  readonly countsBecause: 'cancelled' | 'announced_late' | 'allowance_used' | undefined;
};

/** Returns how work stands among all work of its months. */
export function standingOf(work: AnnouncedWork, works: readonly AnnouncedWork[]): WorkStanding {
  const minutes = minutesIn([work]);
  if (work.cancelledMs !== undefined) return { minutes, excluded: 0, countsBecause: 'cancelled' };
  if (!isInTime(work)) return { minutes, excluded: 0, countsBecause: 'announced_late' };
  const excluded = monthsOf(work).reduce(
    (sum, month) => sum + minutesIn(clip(plannedMinutes(works, monthSpan(month)), work)),
    0,
  );
  return { minutes, excluded, countsBecause: excluded < minutes ? 'allowance_used' : undefined };
}

/** Returns the whole months that a span lies in, as a span. */
export function spanOfMonths({ startMs, endMs }: Span): Span {
  return { startMs: monthSpan(utcMonth(startMs)).startMs, endMs: monthSpan(utcMonth(endMs - 1)).endMs };
}

/** Work is at most a day long, and so in two months at most. */
function monthsOf({ startMs, endMs }: Span): readonly string[] {
  return [...new Set([utcMonth(startMs), utcMonth(endMs - 1)])];
}
