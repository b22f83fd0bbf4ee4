/** Lengths of the units of time that sums are kept for. Units of UTC begin at multiples of their length. */
export const UNIT_MS = { day: 86_400_000, hour: 3_600_000, five_minutes: 300_000, minute: 60_000 } as const;
export type Unit = keyof typeof UNIT_MS;

/** A part of a span of time; `toMs` is not in it, and undefined if it has no end. */
export type SpanPart<U> = { readonly unit: U; readonly fromMs: number; readonly toMs: number | undefined };

/**
 * Splits a span into the fewest whole units: the coarsest first, and what is left at both ends in finer ones. What no unit covers, less than
 * one of the last at each end, is left out of `until` and counted from the beginning of its unit at `since`.
 *
 * @param units from the coarsest to the finest; at least one.
 */
export function splitSpan<U extends Unit>(
  { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs?: number | undefined },
  units: readonly U[],
): readonly SpanPart<U>[] {
  const finest = UNIT_MS[units.at(-1) ?? 'minute'];
  const from = floorTo(sinceMs, finest);
  const to = untilMs === undefined ? undefined : floorTo(untilMs, finest);
  return split(from, to, units);
}

/** The beginning of the unit of this length that an instant is in. */
export function floorTo(instantMs: number, unitMs: number): number {
  return Math.floor(instantMs / unitMs) * unitMs;
}

function split<U extends Unit>(
  fromMs: number,
  toMs: number | undefined,
  [unit, ...finer]: readonly U[],
): readonly SpanPart<U>[] {
  if (unit === undefined || (toMs !== undefined && toMs <= fromMs)) return [];
  const first = -floorTo(-fromMs, UNIT_MS[unit]);
  const last = toMs === undefined ? undefined : floorTo(toMs, UNIT_MS[unit]);
  if (last !== undefined && last <= first) return split(fromMs, toMs, finer);
  const tail = last === undefined ? [] : split(last, toMs, finer);
  return [{ unit, fromMs: first, toMs: last }, ...split(fromMs, first, finer), ...tail];
}
