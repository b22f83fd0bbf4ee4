import { serviceError } from '../base/service-error.ts';
import { readInstant } from './read-instant.ts';

/** Instants as a query has them. */
type SpanQuery = { readonly since?: string | undefined; readonly until?: string | undefined };

/** A span of time; `until` is not in it. */
export type Span = { readonly since: Date | undefined; readonly until: Date | undefined };

/** A span of sums, which begins at a minute. */
export type SumSpan = { readonly sinceMs: number; readonly untilMs: number | undefined };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The most days that sums by minute and by hour are of. */
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
  if (instant === undefined) throw refuse(pointer, 'is not an instant of the calendar');
  return instant;
}

function floorToMinute(instantMs: number): number {
  return Math.floor(instantMs / MINUTE_MS) * MINUTE_MS;
}
