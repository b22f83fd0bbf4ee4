import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { retainUsage } from '../../../src/account/usage/retain-usage.ts';
import { systemClock } from '../../../src/core/clock.ts';

const NOW_MS = 1_760_000_000_000;
const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

function start(purge: (beforeMs: number) => Promise<boolean>) {
  const log = pino({ level: 'silent' });
  return retainUsage({ purge, clock: systemClock, log, retentionDays: 30 });
}

test('deletes step by step while there is more, then looks again each minute, and ends', async () => {
  const steps: number[] = [];
  const stop = start(async (beforeMs) => {
    steps.push((Date.now() - beforeMs) / DAY_MS);
    return steps.length < 3;
  });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(steps).toEqual([30, 30, 30]);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(steps.length).toBe(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(steps.length).toBe(4);
  await stop();
  expect(vi.getTimerCount()).toBe(0);
});

test('a store that fails is asked again', async () => {
  let asked = 0;
  const stop = start(() => {
    asked++;
    return Promise.reject(new Error('down'));
  });
  await vi.advanceTimersByTimeAsync(61_000);
  expect(asked).toBe(2);
  await stop();
});
