import { beforeEach, expect, test, vi } from 'vitest';
import { createReplyMemory, type MemoryLease, type ReplyMemory } from '../../../src/core/rpc/reply-memory.ts';

const FULL = expect.objectContaining({ code: 'replyMemoryFull' });

let nowMs: number;
let memory: ReplyMemory;
const onEnded = vi.fn();

beforeEach(() => {
  nowMs = 0;
  onEnded.mockReset();
  memory = createReplyMemory(120, 60, { nowMs: () => nowMs, onEnded });
});

function reserve(accountId: string | undefined, sizeBytes: number): MemoryLease {
  const lease = memory.hold(accountId);
  lease.reserve(sizeBytes);
  return lease;
}

/** An answer on its way. */
function deliver(accountId: string, sizeBytes: number) {
  const [lease, end] = [reserve(accountId, sizeBytes), vi.fn()];
  lease.deliver(end);
  return { lease, end };
}

test('an account holds as much as it leaves free, and no byte more', () => {
  reserve('a', 60);
  expect(() => reserve('a', 1)).toThrow(FULL);
  expect(memory.hold('a').tryDraw(1)).toBe(false);
  reserve('b', 30);
  expect(() => reserve('b', 1)).toThrow(FULL);
  expect(memory.heldBytes()).toBe(90);
});

test('the gateway itself may hold all of it', () => {
  reserve(undefined, 60);
  reserve(undefined, 60);
  expect(() => reserve(undefined, 1)).toThrow(FULL);
});

test('one request holds at most its limit', () => {
  expect(() => reserve('a', 61)).toThrow(expect.objectContaining({ code: 'replyTooLarge' }));
});

test('what is released can be held again, once', () => {
  const lease = reserve('a', 60);
  lease.release();
  lease.release();
  expect(memory.heldBytes()).toBe(0);
  reserve('a', 60);
});

test('a request without room ends the oldest answer of the account that holds most, after five seconds on its way', () => {
  const old = deliver('a', 25);
  const young = deliver('a', 25);
  reserve('b', 20);
  nowMs = 4_999;
  expect(() => reserve('c', 30)).toThrow(FULL);
  nowMs = 5_000;
  reserve('c', 30);
  expect([old.end.mock.calls.length, young.end.mock.calls.length, onEnded.mock.calls.length]).toEqual([
    1, 0, 1,
  ]);
  expect(memory.heldBytes()).toBe(75);
  old.lease.release();
  expect(memory.heldBytes()).toBe(75);
});

test('an account ends none of another that holds no more than it would', () => {
  const { end } = deliver('a', 40);
  reserve('b', 35);
  nowMs = 60_000;
  expect(() => reserve('b', 6)).toThrow(FULL);
  expect(() => reserve('c', 40)).toThrow(FULL);
  expect(end).not.toHaveBeenCalled();
});

test('an answer that is still being made, or has arrived, is not ended', () => {
  reserve('a', 30);
  const { lease, end } = deliver('a', 30);
  lease.release();
  reserve('a', 30);
  nowMs = 60_000;
  expect(() => reserve('a', 10)).toThrow(FULL);
  expect(end).not.toHaveBeenCalled();
});
