import { expect, test } from 'vitest';
import { PLANS } from '../../../generated/plans.ts';
import { admitCreation, CreateLimitBook } from '../../../src/account/plans/wallet-create-limit.ts';
import { createWalletStanding } from '../../../src/account/plans/wallet-standing.ts';
import { admitUse, UseLimitBook } from '../../../src/account/plans/wallet-use-limit.ts';
import { createMemoryRateLimit } from '../../../src/server/access/rate-limit.ts';

function newService() {
  const counted = {
    limits: new CreateLimitBook(),
    useLimits: new UseLimitBook(),
    rateLimit: createMemoryRateLimit(),
    useRateLimit: createMemoryRateLimit(),
    planOf: () => ({ requestsPerSecond: 7 }),
  };
  return { counted, standingOf: createWalletStanding(counted) };
}

test('an account that used nothing has its whole limits left', async () => {
  const { standingOf } = newService();
  const { requests, window_seconds: windowSeconds } = PLANS.wallet_create_limit;
  const [used, useWindow] = [
    7 * PLANS.wallet_use_limit.window_seconds,
    PLANS.wallet_use_limit.window_seconds,
  ];
  expect(await standingOf('acme')).toEqual({
    create: { limit: requests, windowSeconds, remaining: requests, resetMs: 0 },
    use: { limit: used, windowSeconds: useWindow, remaining: used, resetMs: 0 },
  });
});

test('what is left is what the next call would find, of this account alone; looking counts nothing', async () => {
  const { counted, standingOf } = newService();
  counted.limits.put('acme', 3);
  await admitCreation(counted, 'acme');
  await admitUse(counted, 'acme');
  for (const _each of [1, 2]) {
    const { create, use } = await standingOf('acme');
    expect(create).toMatchObject({ limit: 3, remaining: 2 });
    expect(create.resetMs).toBeGreaterThan(0);
    expect(use.limit - use.remaining).toBe(1);
  }
  expect((await standingOf('other')).use.resetMs).toBe(0);
  expect(await admitCreation(counted, 'acme')).toMatchObject({ remaining: 1 });
  counted.limits.put('acme', 2);
  expect((await standingOf('acme')).create).toMatchObject({ limit: 2, remaining: 2 });
});
