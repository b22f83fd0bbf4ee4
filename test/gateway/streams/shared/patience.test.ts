import { expect, test } from 'vitest';
import { createPatience } from '../../../../src/gateway/streams/shared/run-for-reader.ts';

test('a process leaves late readers twice as long with each term that it takes over, up to 16 times', () => {
  const patience = createPatience(30, () => 0);
  const left = Array.from({ length: 6 }, () => {
    patience.grow();
    return patience.ms();
  });
  expect(left).toEqual([60, 120, 240, 480, 480, 480]);
});

test('it starts again after ten times its last value', () => {
  let nowMs = 0;
  const patience = createPatience(30, () => nowMs);
  expect(patience.ms()).toBe(30);
  patience.grow();
  nowMs = 600;
  expect(patience.ms()).toBe(60);
  nowMs = 601;
  expect(patience.ms()).toBe(30);
});
