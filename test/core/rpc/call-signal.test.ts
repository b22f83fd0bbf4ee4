import { expect, test } from 'vitest';
import { CallSignal } from '../../../src/core/rpc/call-signal.ts';

test('every listener gets the first reason, once', () => {
  const signal = new CallSignal();
  const told: string[] = [];
  for (const name of ['a', 'b', 'c']) signal.onAbort((reason) => told.push(`${name} ${reason.message}`));
  expect(signal.aborted).toBe(false);
  signal.abort(new Error('left'));
  signal.abort(new Error('late'));
  expect(told).toEqual(['a left', 'b left', 'c left']);
  expect([signal.aborted, signal.reason?.message]).toEqual([true, 'left']);
  expect(() => signal.throwIfAborted()).toThrow('left');
});

test.each([0, 1, 2])('listener %i takes its place back and is not told; the others are', (index) => {
  const signal = new CallSignal();
  const told: number[] = [];
  const forget = [0, 1, 2].map((each) => signal.onAbort(() => told.push(each)));
  forget[index]?.();
  forget[index]?.();
  signal.abort(new Error('left'));
  expect(told).toEqual([0, 1, 2].filter((each) => each !== index));
});

test('a place that was taken back is given to the next', () => {
  const signal = new CallSignal();
  const told: string[] = [];
  signal.onAbort(() => told.push('first'))();
  signal.onAbort(() => told.push('second'));
  signal.abort(new Error('left'));
  expect(told).toEqual(['second']);
});
