import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJson } from '../../../src/core/rpc/is-json.ts';
import { rounds } from '../../support/tier.ts';

/** True if the bytes are UTF-8 that JSON.parse accepts. */
function parses(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

test.each([
  ...['0', '-0', '1.5e+3', '1E9', '""', '"\\u00e9\\n"', 'null', ' [ ] ', '{"a":{"b":[true,false,null,-1]}}'],
])('takes %s', (text) => {
  expect([isJson(Buffer.from(text)), parses(Buffer.from(text))]).toEqual([true, true]);
});

test.each([
  ...[
    '',
    ' ',
    'NaN',
    'Infinity',
    '-',
    '01',
    '1.',
    '.5',
    '1e',
    '+1',
    '0x1',
    'nul',
    'nullx',
    'undefined',
    "'a'",
  ],
  ...[
    '[1,]',
    '[,]',
    '[',
    ']',
    '{"a"}',
    '{"a":}',
    '{a:1}',
    '{"a":1,}',
    '{"a":1}}',
    '1 2',
    '"a',
    '"\\x"',
    '"\\u12g4"',
  ],
  ...['"\n"', '\ufeff1', '[1}', '{"a":NaN}'],
])('refuses %j', (text) => {
  expect([isJson(Buffer.from(text)), parses(Buffer.from(text))]).toEqual([false, false]);
});

test('refuses bytes that are no UTF-8', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc3, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
  ])
    expect(isJson(Buffer.from(bytes))).toBe(false);
});

test('refuses what is nested too deeply to be read', () => {
  expect(isJson(Buffer.from(`${'['.repeat(512)}${']'.repeat(512)}`))).toBe(true);
  expect(isJson(Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))).toBe(false);
});

test('agrees with JSON.parse on any JSON, and on what is made of it by changing one byte', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(), fc.integer({ min: 0, max: 255 }), (text, place, byte) => {
      const bytes = Buffer.from(text);
      expect(isJson(bytes)).toBe(true);
      bytes[place % bytes.length] = byte;
      expect(isJson(bytes)).toBe(parses(bytes));
    }),
    { numRuns: rounds(5_000) },
  );
});
