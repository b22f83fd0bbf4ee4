import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReply } from '../../../src/gateway/streams/block/parse-reply.ts';

it.each([
  ['{"a":1,"b":-2.5,"c":[true,null,"x"]}', { a: 1, b: -2.5, c: [true, null, 'x'] }],
  ['{"a":18446744073709551615}', { a: '18446744073709551615' }],
  ['[-9223372036854775808,1234567890123456]', ['-9223372036854775808', '1234567890123456']],
  ['{"a" : 1234567890123456 }', { a: '1234567890123456' }],
  ['[999999999999999]', [999_999_999_999_999]],
  ['[0.12345678901234566,1.5e300]', [0.12345678901234566, 1.5e300]],
  ['["12345678901234567890"]', ['12345678901234567890']],
])('%s', (text, value) => {
  expect(parseReply(text)).toEqual(value);
});

describe('what looks like a long integer in a string', () => {
  it.each([
    ['["log: ,1234567890123456,",5]', ['log: ,1234567890123456,', 5]],
    ['["[1234567890123456]",18446744073709551615]', ['[1234567890123456]', '18446744073709551615']],
    [
      String.raw`["\":1234567890123456,",18446744073709551615]`,
      ['":1234567890123456,', '18446744073709551615'],
    ],
    [
      String.raw`{"a":"\\","b":[1234567890123456],"c":",1234567890123456}"}`,
      { a: '\\', b: ['1234567890123456'], c: ',1234567890123456}' },
    ],
  ])('stays as it is: %s', (text, value) => {
    expect(parseReply(text)).toEqual(value);
  });
});

it('reads any JSON as JSON.parse does, but for long integers', () => {
  const digits = fc.string({
    unit: fc.constantFrom('1', '2', ',', ':', '[', ']', '"', '\\', '}'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), fc.array(digits), (value, texts) => {
      const text = JSON.stringify({ value, texts, n: 5 });
      const hasLong = /(?<![\d.])\d{16,}(?![\d.eE])/.test(
        JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/g, ''),
      );
      fc.pre(!hasLong);
      expect(parseReply(text)).toEqual(JSON.parse(text));
      const long = `{"a":${text},"b":18446744073709551615}`;
      expect(parseReply(long)).toEqual({ a: JSON.parse(text), b: '18446744073709551615' });
    }),
  );
});

it.each(['', '{', '[1234567890123456', '{"a":1234567890123456,}', '["1234567890123456]'])(
  'refuses %j',
  (text) => {
    expect(() => parseReply(text)).toThrow(SyntaxError);
  },
);
