import { expect, test } from 'vitest';
import {
  admitCreation,
  CreateLimitBook,
  readCreateLimits,
  setCreateLimit,
} from '../../../src/account/plans/wallet-create-limit.ts';
import type { CallCounter } from '../../../src/account/plans/count-call.ts';
import { createMemoryRateLimit } from '../../../src/server/access/rate-limit.ts';
import type { ServiceError } from '../../../src/core/service-error.ts';
import { describeStores } from '../../store/backends.ts';
import { newCustomer } from '../new-customer.ts';

test('an account has 1,000 calls in a minute, and is told how long to wait for more', async () => {
  const places = { limits: new CreateLimitBook(), rateLimit: createMemoryRateLimit() };
  const call = () => admitCreation(places, 'a');
  const first = await call();
  expect(first).toMatchObject({ limit: 1_000, windowSeconds: 60, remaining: 999 });
  expect(first.resetMs).toBeLessThanOrEqual(60_000);
  for (let count = 1; count < 999; count += 1) await call();
  expect((await call()).remaining).toBe(0);
  const refusal: unknown = await call().catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'walletRateLimited', context: { limit: 1_000, windowSeconds: 60 } });
  const { retryAfterSeconds } = (refusal as ServiceError).context;
  expect(retryAfterSeconds).toBeGreaterThan(0);
  expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  expect((await admitCreation(places, 'b')).remaining).toBe(999);
});

test('a wait is never told as nothing', async () => {
  const rateLimit: CallCounter = {
    take: async () => ({ isAllowed: false, remaining: 0, resetMs: 0, retryMs: 0 }),
  };
  const places = { limits: new CreateLimitBook(), rateLimit };
  await expect(admitCreation(places, 'a')).rejects.toMatchObject({ context: { retryAfterSeconds: 1 } });
});

test('the figures are those that make a window of a minute', () => {
  const limits = new CreateLimitBook();
  limits.put('a', 7_000);
  for (const { burst, requestsPerSecond } of [limits.limitOf('a'), limits.limitOf('b')])
    expect((burst * 1_000) / requestsPerSecond).toBeCloseTo(60_000, 6);
  expect(limits.limitOf('b')).toBe(limits.limitOf('c'));
});

describeStores('limits that were raised', (backend) => {
  const store = backend.shared();

  test('hold at once and after a restart, for one account, until they are taken back', async () => {
    const accountId = await newCustomer(store());
    const places = { store: store(), limits: new CreateLimitBook() };
    const held = async (): Promise<readonly number[]> => {
      const restarted = new CreateLimitBook();
      await readCreateLimits(store(), restarted);
      return [places.limits, restarted].map((limits) => limits.limitOf(accountId).burst);
    };
    expect(await setCreateLimit(places, accountId, 5_000)).toEqual({ requests: 5_000, windowSeconds: 60 });
    expect(await held()).toEqual([5_000, 5_000]);
    await setCreateLimit(places, accountId, 6_000);
    expect(await held()).toEqual([6_000, 6_000]);
    expect(places.limits.limitOf('other').burst).toBe(1_000);

    const elsewhere = new CreateLimitBook();
    await readCreateLimits(store(), elsewhere, accountId);
    expect(elsewhere.limitOf(accountId).burst).toBe(6_000);
    expect(await setCreateLimit(places, accountId, undefined)).toEqual({
      requests: 1_000,
      windowSeconds: 60,
    });
    await readCreateLimits(store(), elsewhere, accountId);
    expect([...(await held()), elsewhere.limitOf(accountId).burst]).toEqual([1_000, 1_000, 1_000]);
  });
});
