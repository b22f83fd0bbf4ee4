import { serviceError } from '../../core/service-error.ts';

/** The instants of a query. */
type SpanQuery = { readonly since?: string | undefined; readonly until?: string | undefined };

/** A span of time; `until` is exclusive. */
export type Span = { readonly since: Date | undefined; readonly until: Date | undefined };

/** A span of sums, which begins at a minute. */
export type SumSpan = { readonly sinceMs: number; readonly untilMs: number | undefined };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Maximum number of days for sums by minute and by hour. */
const MAX_DAYS: Readonly<Record<string, number>> = { minute: 1, hour: 100 };

/** Reads the span of a query. @throws ServiceError `queryInvalid` for an instant that does not exist, and an end before the beginning. */
export function readSpan({ since, until }: SpanQuery): Span {
  const span = { since: readMember('/since', since), until: readMember('/until', until) };
  if (span.since !== undefined && span.until !== undefined && span.until < span.since)
    throw refuse('/until', 'must not be before since');
  return span;
}

/**
 * Reads the span of sums; without `since` it is the last day.
 *
 * @throws ServiceError `queryInvalid`, also for a span that would have too many sums.
 */
export function readSumSpan({ by, ...query }: SpanQuery & { readonly by: string }, nowMs: number): SumSpan {
  const { since, until } = readSpan(query);
  const untilMs = until === undefined ? undefined : floorToMinute(until.getTime());
  const sinceMs = floorToMinute(since?.getTime() ?? (untilMs ?? nowMs) - DAY_MS);
  if (sinceMs > nowMs) throw refuse('/since', 'must not be after now');
  const days = MAX_DAYS[by];
  if (days !== undefined && floorToMinute(untilMs ?? nowMs) - sinceMs > days * DAY_MS)
    throw refuse('/since', `must be at most ${days} day${days === 1 ? '' : 's'} before the end, by ${by}`);
  return { sinceMs, untilMs };
}

/** Returns the members of an answer that name a span. */
export function showSpan({ sinceMs, untilMs }: SumSpan): { readonly since: string; readonly until?: string } {
  const since = new Date(sinceMs).toISOString();
  return untilMs === undefined ? { since } : { since, until: new Date(untilMs).toISOString() };
}

/** Returns the refusal of a query parameter. */
export function refuse(pointer: string, detail: string): Error {
  return serviceError('queryInvalid', { errors: [{ pointer, detail }] });
}

function readMember(pointer: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const instant = readInstant(text);
  if (instant === undefined) throw refuse(pointer, 'is not a valid date and time');
  return instant;
}

function floorToMinute(instantMs: number): number {
  return Math.floor(instantMs / MINUTE_MS) * MINUTE_MS;
}

/**
 * Reads an instant in the form of `Since`; undefined if it does not exist. The pattern accepts days and hours that do not exist, and Date
 * rolls some of them over. An instant before 1970 becomes the beginning of 1970: nothing is older, and PostgreSQL has no year 0.
 */
export function readInstant(text: string): Date | undefined {
  const instant = new Date(text);
  const isReal = !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text.slice(0, 19));
  return isReal ? new Date(Math.max(instant.getTime(), 0)) : undefined;
}
