/** A unit of time that calls are summed up by. */
export type TimeUnit = 'minute' | 'hour' | 'day';

/** A span of time that usage is shown for; `until` is absent for one that ends now. */
export type Span = { readonly since: string; readonly until?: string; readonly unit: TimeUnit };

/** Spans to choose from. */
export const SPANS = [
  { id: 'hour', title: 'Last hour', ms: 3_600_000 },
  { id: 'day', title: 'Last 24 hours', ms: 86_400_000 },
  { id: 'week', title: 'Last 7 days', ms: 604_800_000 },
  { id: 'month', title: 'Last 30 days', ms: 2_592_000_000 },
  { id: 'quarter', title: 'Last 90 days', ms: 7_776_000_000 },
  { id: 'year', title: 'Last 365 days', ms: 31_536_000_000 },
] as const;

export type SpanId = (typeof SPANS)[number]['id'];

export const UNIT_MS: Readonly<Record<TimeUnit, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Most points that a chart can show separately. */
const MANY_POINTS = 200;

/** Returns one of the spans, up to now. */
export function spanOf(id: SpanId, nowMs: number): Span {
  const ms = SPANS.find((span) => span.id === id)?.ms ?? 0;
  return { since: new Date(nowMs - ms).toISOString(), unit: unitFor(ms) };
}

/** Returns the span between two values of `datetime-local`, in the zone of the browser; undefined if it ends before it begins. */
export function spanBetween(from: string, to: string): Span | undefined {
  const [fromMs, toMs] = [new Date(from).getTime(), new Date(to).getTime()];
  if (!(fromMs < toMs)) return undefined;
  const [since, until] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  return { since, until, unit: unitFor(toMs - fromMs) };
}

/** Returns the smallest unit whose points a chart can show separately. */
export function unitFor(ms: number): TimeUnit {
  if (ms <= MANY_POINTS * UNIT_MS.minute) return 'minute';
  return ms <= MANY_POINTS * UNIT_MS.hour ? 'hour' : 'day';
}
