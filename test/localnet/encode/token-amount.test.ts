import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenAmount } from '../../../src/localnet/encode/token-amount.ts';

const U64_MAX = 2n ** 64n - 1n;

test.each<[bigint, number, number | null, string]>([
  [0n, 0, 0, '0'],
  [0n, 9, 0, '0'],
  [10n, 0, 10, '10'],
  [1n, 9, 1e-9, '0.000000001'],
  [1_000_000_000n, 9, 1, '1'],
  [1_234_567_890n, 3, 1234567.89, '1234567.89'],
  [U64_MAX, 0, 18446744073709552000, '18446744073709551615'],
  [U64_MAX, 6, 18446744073709.55, '18446744073709.551615'],
  [U64_MAX, 19, 1.8446744073709551, '1.8446744073709551615'],
  [1n, 20, null, `0.${'0'.repeat(19)}1`],
  [5n, 255, null, `0.${'0'.repeat(254)}5`],
  [100n, 1, 10, '10'],
])('%d units with %d decimals', (amount, decimals, uiAmount, uiAmountString) => {
  expect(tokenAmount(amount, decimals)).toEqual({
    uiAmount,
    decimals,
    amount: amount.toString(),
    uiAmountString,
  });
});

test('the text is exact and has no zeros to spare', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: U64_MAX }),
      fc.integer({ min: 0, max: 255 }),
      (amount, decimals) => {
        const [whole = '', fraction = ''] = tokenAmount(amount, decimals).uiAmountString.split('.');
        expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(amount);
        expect(fraction.endsWith('0')).toBe(false);
        expect(whole).toMatch(/^(0|[1-9]\d*)$/);
      },
    ),
  );
});
