import { type Span, UNIT_MS } from './span.ts';

/** Values over time: `times` in seconds, and as many values in each series. */
export type TimeSeries = {
  readonly times: readonly number[];
  readonly values: readonly (readonly number[])[];
};

/** Turns sums by time into series, with 0 for missing units. `valuesOf` returns `width` values. */
export function toTimeSeries<Row extends { readonly group: string }>(
  rows: readonly Row[],
  { since, until, unit }: Span,
  {
    nowMs,
    width,
    valuesOf,
  }: { readonly nowMs: number; readonly width: number; readonly valuesOf: (row: Row) => readonly number[] },
): TimeSeries {
  const step = UNIT_MS[unit];
  const known = new Map(rows.map((row) => [Date.parse(row.group), valuesOf(row)]));
  const first = Math.floor(Date.parse(since) / step) * step;
  const end = until === undefined ? nowMs : Date.parse(until);
  const count = Math.max(1, Math.ceil((end - first) / step));
  const instants = Array.from({ length: count }, (_, index) => first + index * step);
  return {
    times: instants.map((instant) => instant / 1_000),
    values: Array.from({ length: width }, (_, series) =>
      instants.map((instant) => known.get(instant)?.[series] ?? 0),
    ),
  };
}
