import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { PLANS } from '../../../generated/plans.ts';
import { ensureAccount } from '../../../src/account/accounts/accounts.ts';
import { findAccount } from '../../../src/account/accounts/find-account.ts';
import { HEAVIEST } from '../../../src/server/access/weigh.ts';
import { isPlanName, planProblem, SPEC_PLANS } from '../../../src/account/plans/plan.ts';
import {
  setAccountPlan,
  listPlans,
  loadPlanBook,
  type PlanDeps,
  removePlan,
  setPlan,
} from '../../../src/account/plans/plans.ts';
import { followPlans } from '../../../src/account/plans/follow-plans.ts';
import type { StoreOptions } from '../../../src/store/open-store.ts';
import { accounts } from '../../../src/store/tables.ts';
import { describeStores, useStore } from '../../store/backends.ts';

const NOW_MS = 1_760_000_000_000;

/** What the next request meets, and what it would meet after a restart. */
async function planNow({ store, plans }: PlanDeps, accountId: string) {
  const after = (await loadPlanBook(store)).planOf(accountId);
  expect(after).toEqual(plans.planOf(accountId));
  return after;
}

describeStores('plans', (backend) => {
  const opened = backend.emptied();
  const newPlaces = async (): Promise<PlanDeps> => ({
    store: opened(),
    plans: await loadPlanBook(opened()),
  });

  test('an account has the plan of the specification until it is given another one', async () => {
    const places = await newPlaces();
    const acme = await ensureAccount(places.store, 'acme', NOW_MS);
    expect(await planNow(places, acme)).toMatchObject({
      name: 'developer',
      requestsPerSecond: 100,
      burst: 500,
    });
    await setAccountPlan(places, acme, 'production');
    expect(await planNow(places, acme)).toMatchObject({ name: 'production', requestsPerSecond: 1_000 });
    expect(places.plans.planOf(randomUUID()).name).toBe('developer');
  });

  test('rows go before the specification, add to it, and can be taken back', async () => {
    const places = await newPlaces();
    const acme = await ensureAccount(places.store, 'acme', NOW_MS);
    await setPlan(places, { name: 'developer', requestsPerSecond: 5, burst: 10 });
    expect(await planNow(places, acme)).toEqual({
      name: 'developer',
      requestsPerSecond: 5,
      burst: 10,
      source: 'store',
    });
    await setPlan(places, { name: 'developer', requestsPerSecond: 6, burst: 12 });
    expect(await planNow(places, acme)).toMatchObject({ burst: 12 });
    expect(await removePlan(places, 'developer')).toMatchObject({ burst: 500, source: 'spec' });
    expect(await planNow(places, acme)).toMatchObject({ burst: 500, source: 'spec' });
    await expect(removePlan(places, 'developer')).rejects.toMatchObject({ code: 'planNotOverridden' });
  });

  test('a plan that an account has is not removed', async () => {
    const places = await newPlaces();
    const acme = await ensureAccount(places.store, 'acme', NOW_MS);
    await setPlan(places, { name: 'own', requestsPerSecond: 1, burst: 1 });
    await setAccountPlan(places, acme, 'own');
    await expect(removePlan(places, 'own')).rejects.toMatchObject({
      code: 'planInUse',
      context: { name: 'own', value: 1 },
    });
    await setAccountPlan(places, acme, 'developer');
    expect(await removePlan(places, 'own')).toBeUndefined();
    await expect(removePlan(places, 'own')).rejects.toMatchObject({ code: 'planNotFound' });
  });

  test('a plan that is removed twice at once is removed, and recorded, once', async () => {
    const places = await newPlaces();
    const recorded: string[] = [];
    const record = async (_tx: unknown, name: string) => void recorded.push(name);
    for (const name of ['own', 'developer']) {
      await setPlan(places, { name, requestsPerSecond: 1, burst: 1 });
      await Promise.allSettled([0, 1, 2].map(() => removePlan({ ...places, record }, name)));
    }
    expect(recorded).toEqual(['own', 'developer']);
  });

  test('unknown plans and accounts are told', async () => {
    const places = await newPlaces();
    const acme = await ensureAccount(places.store, 'acme', NOW_MS);
    await expect(setAccountPlan(places, acme, 'gold')).rejects.toThrow(
      'There is no plan gold; expected one of developer, development, production',
    );
    await expect(setAccountPlan(places, randomUUID(), 'developer')).rejects.toMatchObject({
      code: 'accountNotFound',
    });
  });

  test('a plan that is gone from the store leaves its accounts with the default one', async () => {
    const places = await newPlaces();
    const id = randomUUID();
    await places.store.db
      .insert(accounts)
      .values({ id, kind: 'customer', name: 'old', plan: 'gone', createdAt: new Date(NOW_MS) });
    expect((await loadPlanBook(places.store)).planOf(id).name).toBe('developer');
  });

  test('the list tells how many accounts have each', async () => {
    const places = await newPlaces();
    for (const name of ['a', 'b', 'c']) await ensureAccount(places.store, name, NOW_MS);
    await setAccountPlan(places, await findAccount(places.store, 'c'), 'production');
    const listed = await listPlans(places);
    expect(listed.map(({ name, isDefault, accounts: held }) => [name, isDefault, held])).toEqual([
      ['developer', true, 2],
      ['development', false, 0],
      ['production', false, 1],
    ]);
  });

  if (backend.kind === 'pglite') return;

  test('are written, given and taken back for all processes, without a restart', async () => {
    const place = backend.place();
    const [here, there] = [await followingPlaces(place), await followingPlaces(place)];
    const acme = await ensureAccount(here.store, 'acme', NOW_MS);
    const becomes = (figures: object): Promise<void> =>
      expect.poll(() => there.plans.planOf(acme), { interval: 5 }).toMatchObject(figures);

    const unchanged = there.plans.find('production');
    await setPlan(here, { name: 'gold', requestsPerSecond: 7, burst: 14 });
    await setAccountPlan(here, acme, 'gold');
    await becomes({ name: 'gold', burst: 14 });
    await setPlan(here, { name: 'gold', requestsPerSecond: 8, burst: 16 });
    await becomes({ name: 'gold', burst: 16 });
    await setAccountPlan(here, acme, 'developer');
    await becomes({ name: 'developer', burst: 500 });
    await removePlan(here, 'gold');
    await expect.poll(() => there.plans.find('gold'), { interval: 5 }).toBeUndefined();
    expect(there.plans.find('production')).toBe(unchanged);
  });
});

/** A process of its own, as far as plans go. */
async function followingPlaces(place: StoreOptions): Promise<PlanDeps> {
  const store = await useStore(place);
  const { plans, close } = await followPlans(store);
  onTestFinished(close);
  return { store, plans };
}

test('the plans of the specification have figures and names that a plan may have', () => {
  for (const plan of SPEC_PLANS.values()) {
    expect([plan.name, planProblem(plan), isPlanName(plan.name)]).toEqual([plan.name, undefined, true]);
    expect(plan.burst).toBeGreaterThanOrEqual(HEAVIEST.weight);
  }
  expect(SPEC_PLANS.has(PLANS.default_plan) && SPEC_PLANS.has(PLANS.development_plan)).toBe(true);
});

test.each([
  [1, 1, undefined],
  [0, 1, 'requests per second is 0; must be an integer from 1 to 1000000'],
  [1_000_000, 1_000_000_000, undefined],
  [1_000_001, 2_000_000, 'requests per second is 1000001'],
  [1.5, 2, 'requests per second is 1.5'],
  [Number.NaN, 2, 'requests per second is NaN'],
  [10, 9, 'burst is 9; must be an integer from the requests per second, 10, to 36000'],
  [10, 36_000, undefined],
  [10, 36_001, 'burst is 36001'],
  [1_000_000, 1_000_000_001, 'burst is 1000000001'],
])('%d a second with a burst of %d: %s', (requestsPerSecond, burst, problem) => {
  const found = planProblem({ requestsPerSecond, burst });
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

test.each(['', 'A', '-a', 'a b', 'a"', 'a\n', 'a;b', 'x'.repeat(64)])('%j is no name of a plan', (name) => {
  expect(isPlanName(name)).toBe(false);
});
