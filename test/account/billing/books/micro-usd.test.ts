import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseUsd, printUsd } from '../../../../runtime/micro-usd.ts';

test.each([
  ['0', 0n],
  ['25', 25_000_000n],
  ['0.1', 100_000n],
  ['0.000001', 1n],
  ['-3.50', -3_500_000n],
  ['007.10', 7_100_000n],
  ['999999999.999999', 999_999_999_999_999n],
])('%s USD are %s micro-USD', (text, amount) => {
  expect(parseUsd(text)).toBe(amount);
});

test.each([
  ...['', '-', '.5', '5.', '+1', '1e3', '0x10', ' 1', '1 ', '1,000', '1_000', 'NaN', 'Infinity'],
  ...['0.0000001', '1000000000', '--1', '1.2.3', '١', '1\n'],
])('%j is no amount', (text) => {
  expect(parseUsd(text)).toBeUndefined();
});

test.each([
  [0n, '0.00'],
  [1n, '0.000001'],
  [400n, '0.0004'],
  [-3_500_000n, '-3.50'],
  [1_000_000_000n, '1000.00'],
  [9_007_199_254_740_993_000_001n, '9007199254740993.000001'],
])('%s micro-USD are printed as %s USD', (amount, text) => {
  expect(printUsd(amount)).toBe(text);
});

test('what is printed is read as the same amount', () => {
  const amounts = fc.bigInt({ min: -999_999_999_999_999n, max: 999_999_999_999_999n });
  fc.assert(fc.property(amounts, (amount) => parseUsd(printUsd(amount)) === amount));
});
