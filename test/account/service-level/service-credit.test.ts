import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  errorBudgetOf,
  TARGET,
  printPercent,
  shareOf,
} from '../../../src/account/service-level/error-budget.ts';
import { printAvailability, printMinutes } from '../../../src/account/service-level/print-availability.ts';
import { creditPercentOf, serviceCreditOf } from '../../../src/account/service-level/service-credit.ts';

/** The minutes of a month of 30 days. */
const MINUTES = 43_200;

const of = (unavailable: bigint, minutes = MINUTES) => ({ minutes, unavailable });

test.each([
  ['99.95 %: no credit', 21_600_000n, 0],
  ['a millionth of a minute less: 10 %', 21_600_001n, 10],
  ['99 %: 10 %', 432_000_000n, 10],
  ['a millionth of a minute less: 25 %', 432_000_001n, 25],
  ['95 %: 25 %', 2_160_000_000n, 25],
  ['a millionth of a minute less: 100 %', 2_160_000_001n, 100],
  ['nothing was available: 100 %', 43_200_000_000n, 100],
  ['all was available: no credit', 0n, 0],
])('an availability of %s', (_, unavailable, percent) => {
  expect(creditPercentOf(of(unavailable))).toBe(percent);
});

test('a month without minutes has no credit', () => {
  expect([creditPercentOf(of(0n, 0)), serviceCreditOf(of(0n, 0), 1_000n)]).toEqual([0, 0n]);
});

test('a credit is rounded up to a micro-USD, and never more than was charged', () => {
  const breached = of(21_600_001n);
  expect([0n, 1n, 10n, 11n, 1_999n].map((charged) => serviceCreditOf(breached, charged))).toEqual([
    0n,
    1n,
    1n,
    2n,
    200n,
  ]);
  expect(serviceCreditOf(of(43_200_000_000n), 1_999n)).toBe(1_999n);
});

test('an hour in a month of 31 days is a credit of 10 %, exactly', () => {
  const hour = of(60_000_000n, 44_640);
  expect([printAvailability(hour), serviceCreditOf(hour, 123_456_789n)]).toEqual(['99.8655', 12_345_679n]);
});

test('availability is printed with four digits, rounded down', () => {
  const printed = [0n, 1n, 21_600_000n, 21_600_001n, 43_199_999_999n, 43_200_000_000n];
  expect(printed.map((unavailable) => printAvailability(of(unavailable)))).toEqual([
    '100.0000',
    '99.9999',
    '99.9500',
    '99.9499',
    '0.0000',
    '0.0000',
  ]);
  expect(printAvailability(of(0n, 0))).toBe('100.0000');
});

test('availability is below the target as printed, by the budget, and by the credit, or by none of them', () => {
  const any = fc.record({
    minutes: fc.integer({ min: 1, max: 44_640 }),
    unavailable: fc.bigInt({ min: 0n, max: 60_000_000n }),
  });
  fc.assert(
    fc.property(any, ({ minutes, unavailable }) => {
      const capped = of(
        unavailable < BigInt(minutes) * 1_000_000n ? unavailable : BigInt(minutes) * 1_000_000n,
        minutes,
      );
      const isBreached = creditPercentOf(capped) > 0;
      expect(errorBudgetOf(capped, minutes).left < 0n).toBe(isBreached);
      expect(shareOf(Number(printAvailability(capped))) < TARGET).toBe(isBreached);
    }),
  );
});

test('a budget is for the whole month, and may be overdrawn', () => {
  expect(errorBudgetOf(of(5_400_000n, 1_000), MINUTES)).toEqual({
    allowed: 21_600_000n,
    used: 5_400_000n,
    left: 16_200_000n,
    leftShare: 750_000n,
  });
  expect(errorBudgetOf(of(43_200_000n), MINUTES)).toMatchObject({
    left: -21_600_000n,
    leftShare: -1_000_000n,
  });
  expect(errorBudgetOf(of(0n, 0), 0)).toMatchObject({ allowed: 0n, leftShare: 1_000_000n });
});

test('percentages are read and printed exactly', () => {
  expect([99.95, 99, 0.0001, 100].map(shareOf)).toEqual([999_500n, 990_000n, 1n, 1_000_000n]);
  expect([999_500n, 1n, 0n, -250_000n].map(printPercent)).toEqual([
    '99.9500',
    '0.0001',
    '0.0000',
    '-25.0000',
  ]);
  expect([0n, 1n, 60_000_000n, 83_333n, -500_000n].map(printMinutes)).toEqual([
    '0',
    '0.000001',
    '60',
    '0.083333',
    '-0.5',
  ]);
});
