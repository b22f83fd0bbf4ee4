import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printCursor, readCursor } from '../../src/core/read-page.ts';

const isId = (id: string): boolean => /^[a-z0-9]+$/.test(id);

test('a cursor is read as it was printed, and any other text is none', () => {
  const position = { at: new Date(1_768_469_400_000), id: 'w1' };
  expect(readCursor(printCursor(position), isId)).toEqual(position);
  expect(readCursor(printCursor({ ...position, id: 'W' }), isId)).toBeUndefined();
  for (const text of ['', 'AAAA', `${printCursor(position)}=`])
    expect(readCursor(text, isId)).toBeUndefined();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const read = readCursor(text, isId);
      expect(read === undefined || printCursor(read) === text).toBe(true);
    }),
  );
});
