import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBase58Encoder } from '../../../src/core/keys/base58.ts';
import { rounds } from '../../support/tier.ts';

describe.each([32, 64] as const)('base-58 of %i bytes', (size) => {
  const encoder = createBase58Encoder(size);
  const encode = (bytes: Uint8Array): string => {
    const into = new Uint8Array(3 + encoder.maxDigits);
    return Buffer.from(into.subarray(3, encoder.writeInto(into, 3, bytes))).toString('latin1');
  };

  test('is that of @scure/base for any bytes', () => {
    const any = fc.uint8Array({ minLength: size, maxLength: size });
    fc.assert(
      fc.property(any, (bytes) => {
        expect(encode(bytes)).toBe(base58.encode(bytes));
      }),
      { numRuns: rounds(2000) },
    );
  });

  test('is that of @scure/base for few bytes that are not 0 or 255, at either end', () => {
    const edge = fc.tuple(
      fc.constantFrom(0, 255),
      fc.nat(size),
      fc.uint8Array({ maxLength: 3 }),
      fc.boolean(),
    );
    const property = fc.property(edge, ([fill, from, some, isLast]) => {
      const bytes = new Uint8Array(size).fill(fill, 0, from);
      bytes.set(some, isLast ? size - some.length : 0);
      expect(encode(bytes)).toBe(base58.encode(bytes));
    });
    fc.assert(property, { numRuns: rounds(2000) });
  });

  test('is that of @scure/base for every power of two and its neighbours', () => {
    for (let bit = 0; bit < size * 8; bit += 1) {
      for (const near of [-1n, 0n, 1n]) {
        const digits = ((1n << BigInt(bit)) + near).toString(16).padStart(size * 2, '0');
        const bytes = Uint8Array.from(Buffer.from(digits, 'hex'));
        expect(encode(bytes)).toBe(base58.encode(bytes));
      }
    }
  });

  test('has at most as many digits as it says: those of the greatest value', () => {
    expect(encode(new Uint8Array(size).fill(255))).toHaveLength(encoder.maxDigits);
    expect(encode(new Uint8Array(size))).toBe('1'.repeat(size));
  });
});
