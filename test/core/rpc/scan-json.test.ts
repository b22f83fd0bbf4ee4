import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureJson, scanItems, scanMembers } from '../../../src/core/rpc/json.ts';

const spaces = fc.constantFrom('', ' ', '\n\t', '\r\n  ');
const jsonText = fc
  .tuple(fc.json({ maxDepth: 4 }), spaces)
  .map(([text, indent]) => JSON.stringify(JSON.parse(text), null, indent));

test('every member of an object is found with its decoded name and its exact bytes', () => {
  const members = fc.array(fc.tuple(fc.string({ unit: 'binary' }), jsonText));
  fc.assert(
    fc.property(members, spaces, (entries, space) => {
      const text = `${space}{${entries.map(([name, value]) => `${space}${JSON.stringify(name)}${space}:${space}${value}${space}`).join(',')}}${space}`;
      const bytes = Buffer.from(text);
      const found = scanMembers(bytes)?.map(({ name, start, end }) => [
        name,
        bytes.toString('utf8', start, end),
      ]);
      expect(found).toEqual(entries.map(([name, value]) => [JSON.parse(JSON.stringify(name)), value]));
    }),
  );
});

test('a string ends where it ends, whatever its length and whatever stands before its last quote', () => {
  for (let length = 0; length < 140; length++) {
    for (const tail of ['', '\\', '"', '\\"', '"\\', 'é']) {
      const text = JSON.stringify({ a: 'x'.repeat(length) + tail, b: 1 });
      const [first, second] = scanMembers(Buffer.from(text)) ?? [];
      expect([
        first?.name,
        second?.name,
        Buffer.from(text).toString('utf8', first?.start, first?.end),
      ]).toEqual([...['a', 'b'], JSON.stringify('x'.repeat(length) + tail)]);
      expect(
        scanMembers(Buffer.from(`{"a":"${'x'.repeat(length)}${tail.endsWith('"') ? '' : tail}`)),
      ).toBeUndefined();
    }
  }
});

test('a name that begins or ends like a common one is another one', () => {
  const names = [
    'id',
    'i',
    'idd',
    'iD',
    'param',
    'paramss',
    'Params',
    'results',
    'resulT',
    'method\\u0041',
    'errоr',
  ];
  const text = `{${names.map((name) => `"${name}":1`).join()}}`;
  expect(scanMembers(Buffer.from(text))?.map(({ name }) => name)).toEqual(
    names.map((name) => JSON.parse(`"${name}"`)),
  );
});

test('every item of an array is found with its exact bytes', () => {
  fc.assert(
    fc.property(fc.array(jsonText), spaces, (items, space) => {
      const bytes = Buffer.from(
        `${space}[${items.map((item) => `${space}${item}${space}`).join(',')}]${space}`,
      );
      expect(scanItems(bytes)?.map(({ start, end }) => bytes.toString('utf8', start, end))).toEqual(items);
    }),
  );
});

test('an object that is cut off anywhere is none', () => {
  const text = '{"a":{"b":[1,"}\\"]"]},"c" : -1.5e3 , "d":null}';
  for (let end = 0; end < text.length; end++)
    expect(scanMembers(Buffer.from(text.slice(0, end)))).toBeUndefined();
  expect(scanMembers(Buffer.from(text))).toHaveLength(3);
});

test.each([
  '',
  ' ',
  '1',
  '[]',
  '{}x',
  '{"a":1}{',
  '{"a" 1}',
  '{"a":}',
  '{a:1}',
  '{"a":1 "b":2}',
  '{"\\x":1}',
])('%j is no object', (text) => {
  expect(scanMembers(Buffer.from(text))).toBeUndefined();
});

test('no bytes make the scanner throw or run on', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      scanMembers(Buffer.from(bytes));
      scanItems(Buffer.from(bytes));
      measureJson(Buffer.from(bytes), 127);
    }),
  );
});

test.each([
  ['1', { depth: 0, values: 1, items: 1 }],
  ['[]', { depth: 1, values: 2, items: 1 }],
  ['[[],{"a":[]}]', { depth: 3, values: 6, items: 2 }],
  ['"[[[,"', { depth: 0, values: 1, items: 1 }],
  ['["\\"[[",1,2]', { depth: 1, values: 4, items: 3 }],
])('%s is measured: %j', (text, extent) => {
  expect(measureJson(Buffer.from(text), 127)).toEqual(extent);
});

test('what is too deep is read no further', () => {
  expect(measureJson(Buffer.from(`${'['.repeat(1_000)},`), 127)).toEqual({
    depth: 128,
    values: 129,
    items: 1,
  });
});
