import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryRateLimit } from '../../src/gate/memory-rate-limit.ts';
import { describeRateLimit } from './rate-limit-suite.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_760_000_000_000, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describeRateLimit('in memory', {
  create: createMemoryRateLimit,
  advance: (ms) => void vi.advanceTimersByTime(ms),
});

const PLAN = { name: 'test', requestsPerSecond: 10, burst: 50 };

test('has one timer for each key in a window, and none once the windows are over', async () => {
  const limit = createMemoryRateLimit();
  for (let call = 0; call < 30; call++) {
    for (let key = 0; key < 100; key++) await limit.take(`key-${key}`, PLAN, 1);
  }
  expect(vi.getTimerCount()).toBe(100);
  vi.advanceTimersByTime(5_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('a clock that is set back does not make a key wait longer than its window', async () => {
  const limit = createMemoryRateLimit();
  await limit.take('k', PLAN, 50);
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(5_000);
  expect(await limit.take('k', PLAN, 50)).toMatchObject({ isAllowed: true });
});

test('what is refused in the last moment of a window opens no window that has more than the burst', async () => {
  const limit = createMemoryRateLimit();
  await limit.take('k', PLAN, 50);
  vi.advanceTimersByTime(4_999);
  const taken = limit.take('k', PLAN, 50);
  vi.setSystemTime(Date.now() + 1);
  expect(await taken).toMatchObject({ isAllowed: false });
  expect(await limit.take('k', PLAN, 50)).toMatchObject({ isAllowed: true, remaining: 0 });
  expect(await limit.take('k', PLAN, 1)).toMatchObject({ isAllowed: false });
});
