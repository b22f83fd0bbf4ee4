import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryRateLimit } from '../../../src/server/access/rate-limit.ts';
import { describeRateLimit } from './rate-limit-suite.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_760_000_000_000, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describeRateLimit('in memory', {
  create: createMemoryRateLimit,
  advance: (ms) => void vi.advanceTimersByTime(ms),
});

const PLAN = { name: 'test', requestsPerSecond: 10, burst: 50 };

test('has one timer while anything counts, and none once nothing does', async () => {
  const limit = createMemoryRateLimit();
  for (let call = 0; call < 30; call++) {
    for (let key = 0; key < 100; key++) await limit.take(`key-${key}`, PLAN, 1);
  }
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(10_000);
  expect(vi.getTimerCount()).toBe(0);
  await limit.take('k', PLAN, 1);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(10_000);
});

test('a clock that is set back or ahead changes nothing', async () => {
  const limit = createMemoryRateLimit();
  await limit.take('k', PLAN, 50);
  for (const ms of [-3_600_000, 3_600_000]) {
    vi.setSystemTime(Date.now() + ms);
    expect(await limit.take('k', PLAN, 1)).toMatchObject({ isAllowed: false });
  }
  vi.advanceTimersByTime(5_000);
  expect(await limit.take('k', PLAN, 50)).toMatchObject({ isAllowed: true });
});
