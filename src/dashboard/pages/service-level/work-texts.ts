import type { PlannedWork } from '../../../../generated/account/types.ts';
import { formatCount } from '../../parts/format-number.ts';

const REASONS: Readonly<Record<NonNullable<PlannedWork['counts_because']>, string>> = {
  cancelled: 'it was cancelled',
  announced_late: 'it was announced less than a day in advance',
  allowance_used: 'the month has no more minutes for planned work',
};

/** Describes the minutes of work that count towards availability, with the reason. */
export function describeStanding({ minutes, excluded_minutes, counts_because }: PlannedWork): string {
  const counted = minutes - excluded_minutes;
  if (counts_because === undefined) return 'Does not count towards availability.';
  const which =
    excluded_minutes === 0 ? 'Counts towards availability' : `${formatCount(counted)} minutes count`;
  return `${which}: ${REASONS[counts_because]}.`;
}

/** True for work that is over. */
export function isPast({ ends_at: endsAt }: PlannedWork, nowMs: number): boolean {
  return Date.parse(endsAt) <= nowMs;
}

/** True for work that can still be cancelled. */
export function isToCome({ starts_at: startsAt }: PlannedWork, nowMs: number): boolean {
  return Date.parse(startsAt) > nowMs;
}
