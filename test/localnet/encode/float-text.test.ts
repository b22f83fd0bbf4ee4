import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixedText, shortestText } from '../../../src/localnet/encode/float-text.ts';

test.each([
  [1.5, 0, '2'],
  [2.5, 0, '2'],
  [0.125, 2, '0.12'],
  [0.1, 20, '0.10000000000000000555'],
  [1e21, 1, '1000000000000000000000.0'],
  [-0.25, 1, '-0.2'],
  [5e-324, 3, '0.000'],
  [0, 0, '0'],
])('%d with %d decimals is %s', (value, decimals, text) => {
  expect(fixedText(value, decimals)).toBe(text);
});

test('agrees with toFixed wherever that neither ends nor rounds a half', () => {
  const value = fc.double({ noNaN: true, min: -1e20, max: 1e20 });
  fc.assert(
    fc.property(value, fc.integer({ min: 0, max: 100 }), (number, decimals) => {
      fc.pre(!isHalf(number, decimals) && number !== 0);
      expect(fixedText(number, decimals).replace('-', '')).toBe(number.toFixed(decimals).replace('-', ''));
    }),
  );
});

test.each([
  [1, '1'],
  [0.1, '0.1'],
  [1e21, '1000000000000000000000'],
  [1.5e-9, '0.0000000015'],
  [-1.25e22, '-12500000000000000000000'],
  [Number.POSITIVE_INFINITY, 'inf'],
  [Number.NaN, 'NaN'],
])('the shortest text of %d is %s', (value, text) => {
  expect(shortestText(value)).toBe(text);
});

test('the shortest text reads back as the same number, without an exponent', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(shortestText(value))).toBe(value);
      expect(shortestText(value)).not.toContain('e');
    }),
  );
});

/** True if the exact value has a lone 5 behind the last place asked for. */
function isHalf(value: number, decimals: number): boolean {
  return /^5?0*$/.test(fixedText(value, 1100).split('.')[1]?.slice(decimals) ?? '');
}
