import { expect, test } from 'vitest';
import { missingIn } from '../../runtime/missing-in.ts';

test('members and entries that are not wanted may be there, in any order', () => {
  const value = { slot: 5n, list: [{ a: 1, b: 2 }, { a: 3 }], other: null };
  expect(missingIn(value, { slot: 5, list: [{ a: 3 }, { b: 2 }] })).toEqual([]);
  expect(missingIn({ slot: 5 }, { slot: 5n })).toEqual([]);
});

test.each([
  ['result/fee is 5, not 6', { fee: 5 }, { fee: 6 }],
  ['result/fee is "6", not 6', { fee: '6' }, { fee: 6 }],
  ['result/fee is absent, not null', {}, { fee: null }],
  ['result/fee is 0, not null', { fee: 0 }, { fee: null }],
  ['result has no {"a":2}', [{ a: 1 }], [{ a: 2 }]],
  ['result/list is {}, not []', { list: {} }, { list: [] }],
  ['result is null, not {"a":1}', null, { a: 1 }],
  ['result is 18446744073709551616, not 18446744073709551615', 2n ** 64n, 2n ** 64n - 1n],
])('%s', (message, value, wanted) => {
  expect(missingIn(value, wanted)).toEqual([message]);
});
