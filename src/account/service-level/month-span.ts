import { monthsLater, monthStartMs } from '../../core/utc-month.ts';

/** A stretch of time from an instant, included, to another one, not included. */
export type Span = { readonly startMs: number; readonly endMs: number };

export const MINUTE_MS = 60_000;
/** The unavailable part of a minute is counted in millionths of it. */
export const MILLIONTHS = 1_000_000n;

/** Returns a month of UTC, such as `2026-01`, as a span. */
export function monthSpan(month: string): Span {
  return { startMs: monthStartMs(month), endMs: monthStartMs(monthsLater(month, 1)) };
}

/** Returns the whole minutes that a span of whole minutes has. */
export function minutesIn(spans: readonly Span[]): number {
  return spans.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs) / MINUTE_MS, 0);
}

/** Returns the part of spans that lies in another one. */
export function clip(spans: readonly Span[], { startMs, endMs }: Span): readonly Span[] {
  return spans
    .map((span) => ({ startMs: Math.max(span.startMs, startMs), endMs: Math.min(span.endMs, endMs) }))
    .filter((span) => span.startMs < span.endMs);
}

/** Returns the parts of a span that are outside others, which are in order and do not overlap. */
export function without({ startMs, endMs }: Span, others: readonly Span[]): readonly Span[] {
  const cuts = clip(others, { startMs, endMs });
  const starts = [startMs, ...cuts.map((cut) => cut.endMs)];
  const ends = [...cuts.map((cut) => cut.startMs), endMs];
  return starts
    .map((start, index) => ({ startMs: start, endMs: ends[index] ?? endMs }))
    .filter((span) => span.startMs < span.endMs);
}
