import { textTable } from './text-table.ts';

type UsageRow = Readonly<Record<string, string | null>> & {
  readonly calls: number;
  readonly errors: number;
  readonly refused: number;
  readonly weight: number;
};
type Usage = { readonly since: string; readonly by: string; readonly rows: readonly UsageRow[] };

const FIGURES = ['calls', 'errors', 'refused', 'weight'] as const;
const RIGHT = FIGURES.map((name) => name.toUpperCase());

/** The text of `keyslot usage` for people, with a sum of all rows. `result` is what it prints as JSON. */
export function describeUsage(result: unknown): string {
  const { since, by, rows } = result as Usage;
  if (rows.length === 0) return `There were no calls since ${since}.\n`;
  const isByKey = by === 'key';
  const head = [by.toUpperCase(), ...(isByKey ? ['NAME', 'ACCOUNT'] : []), ...RIGHT];
  const lines = rows.map((row) => [
    ...(isByKey ? [row.key, row.name ?? '', row.account ?? ''] : [row[by]]).map(String),
    ...FIGURES.map((figure) => String(row[figure])),
  ]);
  const sums = FIGURES.map((figure) => String(rows.reduce((sum, row) => sum + row[figure], 0)));
  const total = ['all', ...(isByKey ? ['', ''] : []), ...sums];
  return `Since ${since}. CALLS and WEIGHT count served calls, of which ERRORS returned an error; REFUSED calls are not among them.\n\n${textTable(
    head,
    rows.length === 1 ? lines : [...lines, total],
    RIGHT,
  )}`;
}
