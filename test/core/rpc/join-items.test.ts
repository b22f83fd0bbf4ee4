import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JoinedItems } from '../../../src/core/rpc/join-replies.ts';
import { rounds } from '../../support/tier.ts';

const CLOSE = Buffer.from(']');

function joined(items: readonly (readonly Buffer[])[]): readonly Buffer[] {
  const array = new JoinedItems();
  for (const item of items) array.addParts(item);
  return array.close(CLOSE);
}

test('items that came side by side in one array stay one part', () => {
  const body = Buffer.from('[11,22,33]');
  const items = [body.subarray(1, 3), body.subarray(4, 6), body.subarray(7, 9)].map((item) => [item]);
  expect(joined(items).map(String)).toEqual(['[', '11,22,33', ']']);
});

test('no items are no array', () => {
  expect(joined([])).toEqual([]);
});

test.each([
  ['another separator', '[11;22]', 1, 4],
  ['a space', '[11, 22]', 1, 5],
  ['the other order', '[11,22]', 4, 1],
  ['the same item twice', '[11,22]', 1, 1],
])(
  'what does not lie side by side with a comma between is joined by one: %s',
  (_what, text, first, second) => {
    const body = Buffer.from(text);
    const items = [[body.subarray(first, first + 2)], [body.subarray(second, second + 2)]];
    expect(String(Buffer.concat(joined(items)))).toBe(`[${String(items[0])},${String(items[1])}]`);
  },
);

test('whatever the items are cut from, the array holds their bytes, in order', () => {
  const memory = fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((bytes) => Buffer.from(bytes.map((byte) => (byte % 3 === 0 ? 0x2c : 0x30))));
  const span = fc.tuple(fc.nat(2), fc.nat(40), fc.nat(4));
  fc.assert(
    fc.property(
      fc.array(memory, { minLength: 3, maxLength: 3 }),
      fc.array(fc.array(span, { minLength: 1, maxLength: 3 })),
      (memories, items) => {
        const cut = items.map((parts) =>
          parts.map(([from, start, length]) => memories[from]?.subarray(start, start + length) ?? CLOSE),
        );
        const text = cut.map((parts) => Buffer.concat(parts).toString()).join(',');
        expect(Buffer.concat(joined(cut)).toString()).toBe(cut.length === 0 ? '' : `[${text}]`);
      },
    ),
    { numRuns: rounds(500) },
  );
});
