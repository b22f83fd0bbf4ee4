import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Operation, SPEC_PRICES } from '../../../../src/account/billing/books/prices.ts';
import { utcMonth } from '../../../../src/core/utc-month.ts';
import { priceOf } from '../../../../runtime/price-book.ts';

const operations = Object.keys(SPEC_PRICES.prices) as readonly Operation[];

/** interface.md section 8, written down from there: USD per operation in millionths. */
const TABLE: readonly (readonly [Operation, bigint, bigint])[] = [
  ['wallet_creation', 1_000n, 400n],
  ['hd_child_derivation', 500n, 200n],
  ['managed_signing', 100n, 40n],
  ['hd_master_creation', 0n, 0n],
];

test.each(TABLE)('%s costs what the interface says, above a million less', (operation, standard, volume) => {
  const cost = (before: bigint, units: bigint): bigint => priceOf(SPEC_PRICES, { operation, before, units });
  expect(cost(0n, 1n)).toBe(standard);
  expect(cost(999_999n, 1n)).toBe(standard);
  expect(cost(1_000_000n, 1n)).toBe(volume);
  expect(cost(999_999n, 3n)).toBe(standard + 2n * volume);
  expect(cost(0n, 0n)).toBe(0n);
});

test('every price row is one of the interface, and none is dearer in volume', () => {
  expect(TABLE.map(([operation]) => operation).sort()).toEqual([...operations].sort());
  for (const { standard, volume } of Object.values(SPEC_PRICES.prices)) expect(volume <= standard).toBe(true);
});

test('parts cost together what the whole costs, and later ones never more', () => {
  const units = fc.bigInt({ min: 0n, max: 2_000_000n });
  fc.assert(
    fc.property(fc.constantFrom(...operations), units, units, units, (operation, before, first, second) => {
      const cost = (from: bigint, count: bigint): bigint =>
        priceOf(SPEC_PRICES, { operation, before: from, units: count });
      expect(cost(before, first) + cost(before + first, second)).toBe(cost(before, first + second));
      expect(cost(before + first, second) <= cost(before, second)).toBe(true);
    }),
  );
});

test('months are those of UTC', () => {
  expect(utcMonth(Date.UTC(2025, 11, 31, 23, 59, 59, 999))).toBe('2025-12');
  expect(utcMonth(Date.UTC(2026, 0, 1))).toBe('2026-01');
});
