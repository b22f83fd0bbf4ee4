import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseJson, printJson } from '../../runtime/json.ts';

/** JSON.parse as it was before source text access: a reviver gets no context. */
const withoutSourceAccess = (): void => {
  const { parse } = JSON;
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) =>
    parse(text, reviver && ((key, value) => reviver(key, value))),
  );
};

afterEach(() => vi.restoreAllMocks());

const TEXTS = [
  '18446744073709551615',
  '-9223372036854775808',
  '[9007199254740991, 9007199254740992, 9007199254740993]',
  '{"18446744073709551615":"18446744073709551615"}',
  '["integer:18446744073709551615", 18446744073709551615]',
  '["\\u0069nteger::5", "integer:", 18446744073709551615]',
  '["a \\" 12345678901234567890 \\\\", 12345678901234567890]',
  '[1.5, 1e300, 123456789012345678.5, 12345678901234567890e2]',
];

describe.each([
  ['with source text access', () => undefined],
  ['without', withoutSourceAccess],
])('parseJson %s', (_, prepare) => {
  it.each(TEXTS)('reads %s exactly', (text) => {
    const expected = parseByHand(text);
    prepare();
    expect(parseJson(text)).toEqual(expected);
  });

  it('refuses what is no JSON', () => {
    prepare();
    for (const text of ['', '{', '[18446744073709551615', '18446744073709551615n', '[018446744073709551615]'])
      expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('reads what printJson prints', () => {
    prepare();
    const leaf = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 64n), fc.string(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(fc.array(fc.oneof(leaf, fc.dictionary(fc.string(), leaf))), (value) => {
        expect(printJson(parseJson(printJson(value)))).toBe(printJson(value));
      }),
    );
  });
});

/** The values of TEXTS, read by this engine's reviver. */
const parseByHand = (text: string): unknown => {
  const reviver = (_key: string, value: unknown, context: { readonly source?: string }): unknown =>
    typeof value === 'number' && /^-?\d+$/.test(context.source ?? '') && !Number.isSafeInteger(value)
      ? BigInt(context.source ?? '')
      : value;
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]);
};
