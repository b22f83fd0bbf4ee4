import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../src/core/rpc/json.ts';

test.each([
  ['18446744073709551615', 18446744073709551615n],
  ['-9223372036854775808', -9223372036854775808n],
  ['9007199254740992', 9007199254740992n],
  ['9007199254740991', 9007199254740991],
  ['-9007199254740991', -9007199254740991],
  ['7', 7],
  ['1.5', 1.5],
  ['1234567890123456.5', 1234567890123456.5],
])('%s is read as %s', (text, value) => {
  expect(parseJson(text)).toBe(value);
});

test('an integer beyond the range of a double is no bigint: a megabyte of digits costs no time', () => {
  expect(parseJson('9'.repeat(309))).toBe(Number.POSITIVE_INFINITY);
  expect(parseJson(`-${'9'.repeat(1_000_000)}`)).toBe(Number.NEGATIVE_INFINITY);
  expect(parseJson('9'.repeat(308))).toBe(BigInt('9'.repeat(308)));
});

test('a long number in a string or a name stays as it is', () => {
  const text = '{"18446744073709551615":"18446744073709551615"}';
  expect(parseJson(text)).toEqual({ '18446744073709551615': '18446744073709551615' });
});

test('a member called __proto__ stays a member', () => {
  const value = parseJson('{"__proto__":{"a":18446744073709551615}}');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('a bigint is printed as an integer, never as a fraction, an exponent or a string', () => {
  expect(stringifyJson({ a: [10n ** 30n, -1n, 0n] })).toBe('{"a":[1000000000000000000000000000000,-1,0]}');
});

test('what has no JSON form is refused', () => {
  expect(() => stringifyJson(undefined)).toThrow(TypeError);
});

test('any JSON value with integers of any size survives printing and parsing', () => {
  const leaf = fc.oneof(fc.bigInt(), fc.string(), fc.boolean(), fc.constant(null));
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('node')),
      fc.dictionary(fc.string(), tie('node')),
    ),
  })).node;
  const widen = (value: unknown): unknown =>
    JSON.stringify(value, (_key, member) =>
      typeof member === 'bigint' ? `${member}n` : typeof member === 'number' ? `${member}n` : member,
    );
  fc.assert(
    fc.property(tree, (value) => {
      expect(widen(parseJson(stringifyJson(value)))).toBe(widen(value));
    }),
  );
});
