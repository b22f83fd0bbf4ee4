import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AccountFilter } from '../../../generated/ledger/types.ts';
import { compileFilter } from '../../../src/localnet/encode/account-filter.ts';
import { mintBytes, tokenAccountBytes, withExtensions } from './token-bytes.ts';

const data = Uint8Array.of(0, 1, 2, 3, 4);
const memcmp = (
  offset: number | bigint,
  bytes: string | number[],
  encoding?: 'base58' | 'base64' | 'bytes',
) => ({
  memcmp: encoding === undefined ? { offset, bytes } : { offset, bytes, encoding },
});
const base58 = (...bytes: number[]) => getBase58Decoder().decode(Uint8Array.from(bytes));

const accountMatches = (filter: AccountFilter, data: Uint8Array): boolean => compileFilter(filter)(data);

test('dataSize is the exact length', () => {
  expect(accountMatches({ dataSize: 5 }, data)).toBe(true);
  expect(accountMatches({ dataSize: 5n }, data)).toBe(true);
  expect(accountMatches({ dataSize: 4 }, data)).toBe(false);
  expect(accountMatches({ dataSize: 2n ** 64n - 1n }, data)).toBe(false);
});

describe('memcmp', () => {
  test('compares bytes in each of their forms', () => {
    expect(accountMatches(memcmp(1, base58(1, 2)), data)).toBe(true);
    expect(accountMatches(memcmp(1, base58(1, 2), 'base58'), data)).toBe(true);
    expect(accountMatches(memcmp(1, base58(1, 2), 'bytes'), data)).toBe(true);
    expect(accountMatches(memcmp(1, 'AQI=', 'base64'), data)).toBe(true);
    expect(accountMatches(memcmp(1, [1, 2], 'bytes'), data)).toBe(true);
    expect(accountMatches(memcmp(1, [1, 2]), data)).toBe(true);
    expect(accountMatches(memcmp(2, [1, 2]), data)).toBe(false);
  });

  test('does not match past the end; nothing matches up to the end itself', () => {
    expect(accountMatches(memcmp(3, [3, 4]), data)).toBe(true);
    expect(accountMatches(memcmp(4, [4, 0]), data)).toBe(false);
    expect(accountMatches(memcmp(5, []), data)).toBe(true);
    expect(accountMatches(memcmp(6, []), data)).toBe(false);
    expect(accountMatches(memcmp(2n ** 64n - 1n, [1]), data)).toBe(false);
  });

  test('takes 128 bytes and refuses 129', () => {
    const zeros = (length: number) => Buffer.alloc(length);
    expect(accountMatches(memcmp(0, zeros(128).toString('base64'), 'base64'), zeros(128))).toBe(true);
    for (const filter of [
      memcmp(0, zeros(129).toString('base64'), 'base64'),
      memcmp(0, '1'.repeat(129)),
      memcmp(0, [...zeros(129)]),
    ]) {
      expect(() => compileFilter(filter)).toThrow(
        expect.objectContaining({
          code: 'memcmpDataTooLarge',
          context: expect.objectContaining({ value: 129 }),
        }),
      );
    }
  });

  test('refuses text that is not in the encoding it claims', () => {
    expect(() => compileFilter(memcmp(0, '12O'))).toThrow(
      "Invalid param: Base58DecodeError(InvalidCharacter { character: 'O', index: 2 })",
    );
    expect(() => compileFilter(memcmp(0, 'A', 'base64'))).toThrow('Invalid param: Base64DecodeError');
    expect(() => compileFilter(memcmp(0, 'A-==', 'base64'))).toThrow('Invalid param: Base64DecodeError');
  });

  test('finds exactly what is there', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
    fc.assert(
      fc.property(bytes, fc.nat(80), bytes, (haystack, offset, needle) => {
        const found = Buffer.from(haystack).subarray(offset, offset + needle.length);
        expect(accountMatches(memcmp(offset, [...needle]), haystack)).toBe(found.equals(needle));
      }),
    );
  });
});

test('tokenAccountState passes initialized token accounts only', () => {
  const passes = (bytes: Uint8Array) => accountMatches('tokenAccountState', bytes);
  expect(passes(tokenAccountBytes())).toBe(true);
  expect(passes(withExtensions(tokenAccountBytes(), [7, new Uint8Array()]))).toBe(true);
  expect(passes(tokenAccountBytes({ state: 0 }))).toBe(false);
  expect(passes(mintBytes())).toBe(false);
});
