import { isJsonObject, type Json } from '../json.ts';
import type { Problem } from '../problem.ts';
import { PLANS_FILE } from '../model/process.ts';

type Row = { readonly below_percent: number; readonly credit_percent: number };

const ROWS = '/service_credits/rows';
/** Percent with up to four decimals, the precision of availability. */
const PERCENT = /^\d{1,3}(\.\d{1,4})?$/;

/** The table of service credits: from the availability target downwards, with more credit for less availability. */
export const lintServiceCredits = (plans: Json): readonly Problem[] => {
  if (!isJsonObject(plans) || plans.service_credits === undefined) return [];
  const { service_credits: credits, service_levels: levels } = plans;
  const rows = isJsonObject(credits) ? credits.rows : undefined;
  if (!Array.isArray(rows) || rows.length === 0) return [problem(ROWS, 'the rows are missing')];
  const wrong = rows.flatMap((row, index) =>
    isRow(row)
      ? []
      : [problem(`${ROWS}/${index}`, 'expected below_percent and credit_percent, above 0 up to 100')],
  );
  if (wrong.length > 0) return wrong;
  return [...checkTarget(rows.filter(isRow), levels), ...checkOrder(rows.filter(isRow))];
};

const checkTarget = ([first]: readonly Row[], levels: Json | undefined): readonly Problem[] => {
  const target = isJsonObject(levels) ? levels.availability_percent_per_month : undefined;
  return first?.below_percent === target
    ? []
    : [problem(`${ROWS}/0/below_percent`, `expected the availability target ${String(target)}`)];
};

const checkOrder = (rows: readonly Row[]): readonly Problem[] =>
  rows.flatMap((row, index) => {
    const before = rows[index - 1];
    if (before === undefined) return [];
    if (row.below_percent < before.below_percent && row.credit_percent > before.credit_percent) return [];
    return [problem(`${ROWS}/${index}`, 'expected less availability and more credit than in the row before')];
  });

const isRow = (row: Json): row is Json & Row =>
  isJsonObject(row) && isPercent(row.below_percent) && isPercent(row.credit_percent);

const isPercent = (value: Json | undefined): value is number =>
  typeof value === 'number' && value > 0 && value <= 100 && PERCENT.test(String(value));

const problem = (pointer: string, message: string): Problem => ({
  file: PLANS_FILE,
  pointer,
  message,
  rule: 'service-credits',
  blocking: true,
});
