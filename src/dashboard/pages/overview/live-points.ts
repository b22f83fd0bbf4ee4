import type { UsageSum } from '../../../../generated/account/types.ts';

/** A reading of counts that only grow, and what was added since the one before. */
export type LivePoint = {
  readonly atMs: number;
  /** Served calls, errors, refused calls. */
  readonly total: readonly number[];
  readonly added: readonly number[];
};

/** A minute of readings 5 s apart. */
const KEPT = 12;

/** Adds a reading to the last ones. The first adds nothing: when its calls came is not known. */
export function addPoint(
  points: readonly LivePoint[],
  rows: readonly Pick<UsageSum, 'calls' | 'errors' | 'refused'>[],
  atMs: number,
): readonly LivePoint[] {
  const total = (['calls', 'errors', 'refused'] as const).map((count) =>
    rows.reduce((sum, row) => sum + row[count], 0),
  );
  const before = points.at(-1)?.total ?? total;
  const added = total.map((count, at) => Math.max(0, count - (before[at] ?? 0)));
  return [...points, { atMs, total, added }].slice(-KEPT);
}
