import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { compileCallRules, type KeyRules } from '../../../src/account/identity/api-keys/key-rules.ts';
import { createKeyLimits } from '../../../src/server/access/key-limits.ts';
import { createMemoryRateLimit, type UsedBefore } from '../../../src/server/access/rate-limit.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function limits(rules: Partial<KeyRules>, readUsed: () => Promise<readonly UsedBefore[]> = async () => []) {
  const warned: unknown[] = [];
  let callRules = compileCallRules('k', rules);
  const decide = createKeyLimits({
    rateLimit: createMemoryRateLimit(() => Date.now()),
    callRulesOf: () => callRules,
    readUsed: vi.fn(readUsed),
    log: { warn: (...args: unknown[]) => void warned.push(args) },
  });
  const change = (next: Partial<KeyRules>): void => {
    callRules = compileCallRules('k', next);
  };
  return { decide, warned, change };
}

test('a key without limits of its own is not looked at', () => {
  expect(limits({}).decide('k', 1, 'take')).toBeUndefined();
  expect(limits({ methods: ['read'] }).decide('k', 1, 'take')).toBeUndefined();
});

test('what a key used in the last day counts after a restart, and for another limit', async () => {
  const readUsed = async () => [
    { agoMs: 22 * HOUR_MS, weight: 6 },
    { agoMs: HOUR_MS, weight: 3 },
  ];
  const { decide, change } = limits({ requestsPerDay: 10 }, readUsed);
  expect(await decide('k', 1, 'take')).toMatchObject({ refusal: undefined });
  expect((await decide('k', 1, 'take'))?.refusal).toMatchObject({
    code: 'apiKeyRateLimited',
    context: { limit: 10, per: 'day', remaining: 0, value: 1 },
  });
  vi.advanceTimersByTime(2.5 * HOUR_MS);
  expect(await decide('k', 6, 'take')).toMatchObject({ refusal: undefined });
  change({ requestsPerDay: 12 });
  expect((await decide('k', 4, 'look'))?.refusal).toMatchObject({ context: { limit: 12, remaining: 3 } });
});

test('a call that one limit refuses is charged to none', async () => {
  const { decide } = limits({ requestsPerSecond: 2, requestsPerDay: 3 });
  expect((await decide('k', 2, 'take'))?.refusal).toBeUndefined();
  for (let turn = 0; turn < 5; turn++)
    expect((await decide('k', 1, 'look'))?.refusal).toMatchObject({ context: { per: 'second' } });
  vi.advanceTimersByTime(1_100);
  expect((await decide('k', 2, 'look'))?.refusal).toMatchObject({ context: { per: 'day', remaining: 1 } });
  expect((await decide('k', 1, 'take'))?.refusal).toBeUndefined();
});

test('where the usage cannot be read, the limit counts from now on, and the log says so once', async () => {
  const { decide, warned } = limits({ requestsPerDay: 2 }, () => Promise.reject(new Error('no store')));
  await decide('k', 1, 'take');
  await decide('k', 1, 'take');
  expect((await decide('k', 1, 'take'))?.refusal).toMatchObject({ code: 'apiKeyRateLimited' });
  expect(warned).toEqual([[{ keyId: 'k', reason: 'no store' }, expect.stringContaining('cannot read')]]);
});
