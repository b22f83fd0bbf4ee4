import { expect, test } from 'vitest';
import {
  admitCreation,
  CreateLimitBook,
  readCreateLimits,
  setCreateLimit,
  type TakesCalls,
} from '../../src/account/wallet-create-limit.ts';
import { describeStores } from '../store/backends.ts';
import { newCustomer } from './new-customer.ts';

/** Counts by the object that the limit is, as the limits of src/gate do. */
function createCounter(resetMs: number): TakesCalls {
  const used = new Map<unknown, Map<string, number>>();
  return {
    take: async (id, limit, weight) => {
      const ofLimit = used.get(limit) ?? new Map<string, number>();
      used.set(limit, ofLimit);
      const count = (ofLimit.get(id) ?? 0) + weight;
      if (count > limit.burst) return { isAllowed: false, remaining: limit.burst - count + weight, resetMs };
      ofLimit.set(id, count);
      return { isAllowed: true, remaining: limit.burst - count, resetMs };
    },
  };
}

test('an account has 1,000 calls in a minute, and is told how long to wait for more', async () => {
  const places = { limits: new CreateLimitBook(), rateLimit: createCounter(1_001) };
  const call = () => admitCreation(places, 'a');
  expect(await call()).toEqual({ limit: 1_000, windowSeconds: 60, remaining: 999, resetMs: 1_001 });
  for (let count = 1; count < 999; count += 1) await call();
  expect((await call()).remaining).toBe(0);
  await expect(call()).rejects.toMatchObject({
    code: 'walletRateLimited',
    context: { limit: 1_000, windowSeconds: 60, retryAfterSeconds: 2 },
  });
  expect((await admitCreation(places, 'b')).remaining).toBe(999);
});

test('a wait is never told as nothing', async () => {
  const places = { limits: new CreateLimitBook(), rateLimit: createCounter(0) };
  places.limits.put('a', 1);
  await admitCreation(places, 'a');
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
