import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  nameReaders,
  readSeenRecords,
  writeSeenRecords,
} from '../../../../src/gateway/ledger/read-your-writes/redis-seen.ts';
import { StreamWindow } from '../../../../src/gateway/ledger/read-your-writes/stream-window.ts';

const nameOf = nameReaders(createSecretKey(randomBytes(32)));
const NO_MARKS = [0, 0, 0, 0, 0, 0];

test('what readers have seen is read as it was written, in 64 bytes for each', () => {
  const seen = [
    [nameOf({ accountId: 'a', keyId: 'k' }), [434_000_000, 0, 433_999_990, 60_000, 2 ** 48 - 1, 1], NO_MARKS],
    [nameOf({ accountId: 'a', keyId: 'k', session: 's' }), NO_MARKS, [1, 2, 3, 4, 5, 6]],
  ] as const;
  const text = writeSeenRecords(seen);
  expect(Buffer.from(text, 'base64')).toHaveLength(128);
  expect(readSeenRecords(text)).toEqual(seen);
});

test('a slot that no chain has is left out, and the others are told', () => {
  const name = nameOf({ accountId: 'a', keyId: 'k' });
  const text = writeSeenRecords([[name, [2 ** 48, 3, 7, 3, 0, 0], NO_MARKS]]);
  expect(readSeenRecords(text)).toEqual([[name, [0, 3, 7, 3, 0, 0], NO_MARKS]]);
});

test.each(['', 'AAAA', 'no base64!', Buffer.alloc(65).toString('base64')])('%j is no report', (text) => {
  expect(readSeenRecords(text)).toBeUndefined();
});

test('entries are kept up to an age and up to a number of bytes', () => {
  const window = new StreamWindow({ maxAgeMs: 1_000, maxBytes: 10_000 });
  for (let at = 0; at < 10; at++) window.note(at * 100, 10);
  expect([window.count(1_000), window.count(1_001), window.count(1_900)]).toEqual([10, 9, 1]);
  for (let at = 0; at < 10; at++) window.note(2_000, 2_000);
  expect(window.count(2_000)).toBe(4);
  window.clear();
  expect(window.count(2_000)).toBe(0);
});
