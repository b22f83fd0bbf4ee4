import { expect, test } from 'vitest';
import { SampleRoom } from '../../../../src/gateway/ledger/drift/sample-room.ts';

function open() {
  const clock = { nowMs: 0 };
  const bounds = { maxAnswers: 2, maxBytes: 10, maxAnswerBytes: 8 };
  return { clock, room: new SampleRoom({ ...bounds, nowMs: () => clock.nowMs }) };
}

test('a copy is its own: what it was made of may be overwritten', () => {
  const { room } = open();
  const sample = room.begin();
  const part = Buffer.from('part');
  sample?.add(part);
  part.fill('!');
  expect(sample?.finish()).toBe(true);
  expect(String(Buffer.concat(sample?.parts ?? []))).toBe('part');
});

test('the number of answers is limited; a place that is given back is another answer’s', () => {
  const { room } = open();
  const [first, second, third] = [room.begin(), room.begin(), room.begin()];
  expect([first, second].map((sample) => sample !== undefined)).toEqual([true, true]);
  expect(third).toBe(undefined);
  first?.close();
  first?.close();
  expect(room.answers).toBe(1);
  expect(room.begin()).toBeDefined();
});

test('the bytes are limited: a copy that grows beyond them is given up, and gives back what it had', () => {
  const { room } = open();
  const [small, large] = [room.begin(), room.begin()];
  small?.add(Buffer.alloc(4));
  large?.add(Buffer.alloc(6));
  expect(room.bytes).toBe(10);
  large?.add(Buffer.alloc(1));
  expect([room.bytes, room.answers, large?.finish(), large?.parts.length]).toEqual([4, 1, false, 0]);
  large?.add(Buffer.alloc(1));
  expect(room.bytes).toBe(4);
  expect(small?.finish()).toBe(true);
});

test('the bytes of one answer are limited: an answer known to be larger is not begun', () => {
  const { room } = open();
  expect([8, 9].map((sizeBytes) => room.isTooLarge(sizeBytes))).toEqual([false, true]);
  expect(room.begin(9)).toBe(undefined);
  const sample = room.begin(8);
  for (const bytes of [4, 4]) sample?.add(Buffer.alloc(bytes));
  expect(room.bytes).toBe(8);
  sample?.add(Buffer.alloc(1));
  expect([room.bytes, room.answers]).toEqual([0, 0]);
});

test('without room for all that an answer is known to have it is not begun', () => {
  const { room } = open();
  room.begin()?.add(Buffer.alloc(5));
  expect([room.begin(6), room.answers]).toEqual([undefined, 1]);
  expect(room.begin(5)).toBeDefined();
});

test('an answer that a slow client keeps coming gives way after half a minute, one that is whole does not', () => {
  const { room, clock } = open();
  const [slow, whole] = [room.begin(), room.begin()];
  slow?.add(Buffer.alloc(1));
  whole?.add(Buffer.alloc(1));
  whole?.finish();
  clock.nowMs = 30_000;
  expect(room.begin()).toBe(undefined);
  clock.nowMs = 30_001;
  expect(room.begin()).toBeDefined();
  expect([slow?.finish(), whole?.parts.length]).toEqual([false, 1]);
  clock.nowMs = 100_000;
  expect(room.begin()).toBeDefined();
  expect([room.answers, room.bytes]).toEqual([2, 1]);
});
