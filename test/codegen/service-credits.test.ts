import { expect, test } from 'vitest';
import { lintServiceCredits } from '../../codegen/lint/service-credits.ts';

const plans = (rows: readonly (readonly [number, number])[], target = 99.95) => ({
  service_levels: { availability_percent_per_month: target },
  service_credits: {
    rows: rows.map(([below, credit]) => ({ below_percent: below, credit_percent: credit })),
  },
});

const faults = (rows: readonly (readonly [number, number])[], target?: number) =>
  lintServiceCredits(plans(rows, target)).map(({ pointer, message }) => `${pointer}: ${message}`);

test('a table that goes down from the target with more and more credit is right', () => {
  expect(
    faults([
      [99.95, 10],
      [99, 25],
      [95, 100],
    ]),
  ).toEqual([]);
  expect(lintServiceCredits({})).toEqual([]);
});

test.each([
  ['no rows', [], '/service_credits/rows: the rows are missing'],
  [
    'a target of its own',
    [[99.9, 10]],
    '/service_credits/rows/0/below_percent: expected the availability target 99.95',
  ],
  [
    'more than all',
    [[99.95, 101]],
    '/service_credits/rows/0: expected below_percent and credit_percent, above 0 up to 100',
  ],
  [
    'no credit',
    [[99.95, 0]],
    '/service_credits/rows/0: expected below_percent and credit_percent, above 0 up to 100',
  ],
  [
    'a fifth decimal',
    [
      [99.95, 10],
      [99.00001, 25],
    ],
    '/service_credits/rows/1: expected below_percent and credit_percent, above 0 up to 100',
  ],
  [
    'the same availability twice',
    [
      [99.95, 10],
      [99.95, 25],
    ],
    '/service_credits/rows/1: expected less availability and more credit than in the row before',
  ],
  [
    'less credit for less availability',
    [
      [99.95, 10],
      [99, 10],
    ],
    '/service_credits/rows/1: expected less availability and more credit than in the row before',
  ],
] as const)('%s is refused', (_, rows, fault) => {
  expect(faults(rows)).toEqual([fault]);
});
