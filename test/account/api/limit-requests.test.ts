import { expect, test } from 'vitest';
import { MAX_OPEN_REQUESTS } from '../../../src/account/plans/limit-requests.ts';
import { loadPlanBook } from '../../../src/account/plans/plans.ts';
import { readUseLimits, UseLimitBook } from '../../../src/account/plans/wallet-use-limit.ts';
import { describeStores } from '../../store/backends.ts';
import { openOperatorWorld } from './operator-world.ts';

const PAGE = { limit: 100 };

type Wanted = { readonly limit: 'plan' | 'wallet_create' | 'wallet_use'; readonly wanted: string };

describeStores('requests for higher limits', (backend) => {
  const store = backend.emptied();

  async function open() {
    const world = await openOperatorWorld(store());
    const ask = async (wanted: Wanted) =>
      (await world.asCustomer('requestLimit', { body: { ...wanted, reason: 'a sale' } })).limit_request_id;
    const statesNow = async () => {
      const { limit_requests: all } = await world.asCustomer('listLimitRequests', { query: PAGE });
      return all.map(({ state }) => state);
    };
    return { ...world, ask, statesNow };
  }

  test.each<[Wanted, object]>([
    [{ limit: 'plan', wanted: 'production' }, { plan: { name: 'production' } }],
    [
      { limit: 'wallet_create', wanted: '5000' },
      { wallet_create_limit: { requests: 5_000, source: 'store' } },
    ],
    [{ limit: 'wallet_use', wanted: '500' }, { wallet_use_limit: { requests: 500, source: 'store' } }],
  ])(
    '%j that is granted sets the limit, here and after a restart, with records in both logs',
    async (wanted, set) => {
      const { deps, customer, ask, asOperator, expectRecorded, statesNow } = await open();
      const id = await ask(wanted);
      const granted = await asOperator('grantLimitRequest', { id });
      expect(granted).toMatchObject({ ...wanted, account_id: customer, account: customer, state: 'granted' });
      await expectRecorded('grantLimitRequest', id, 'grantlimitrequest');
      expect(await asOperator('readAccount', { id: customer })).toMatchObject(set);
      expect(await statesNow()).toEqual(['granted']);
      const useLimits = new UseLimitBook();
      await readUseLimits(store(), useLimits);
      expect([
        (await loadPlanBook(store())).planOf(customer).name,
        useLimits.limitOf(customer, 1).burst,
      ]).toEqual([deps.plans.planOf(customer).name, deps.useLimits.limitOf(customer, 1).burst]);
    },
  );

  test('one that is refused sets nothing; its account reads why', async () => {
    const { customer, ask, asCustomer, asOperator, expectRecorded } = await open();
    const id = await ask({ limit: 'plan', wanted: 'production' });
    await asOperator('refuseLimitRequest', { id, body: { reason: 'ask again in May' } });
    await expectRecorded('refuseLimitRequest', id, 'refuselimitrequest');
    const { limit_requests: all } = await asCustomer('listLimitRequests', { query: PAGE });
    expect(all).toMatchObject([{ state: 'refused', answer: 'ask again in May' }]);
    expect(await asOperator('readAccount', { id: customer })).toMatchObject({ plan: { name: 'developer' } });
  });

  test('one is decided once: of a grant, a refusal and a withdrawal at the same time one counts', async () => {
    const { customer, ask, asCustomer, asOperator, statesNow, recordsOf } = await open();
    const id = await ask({ limit: 'wallet_use', wanted: '500' });
    const outcomes = await Promise.allSettled([
      asOperator('grantLimitRequest', { id }),
      asOperator('refuseLimitRequest', { id, body: { reason: 'no' } }),
      asCustomer('withdrawLimitRequest', { id }),
    ]);
    const failed = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(failed).toMatchObject([{ code: 'limitRequestDecided' }, { code: 'limitRequestDecided' }]);
    const [state] = await statesNow();
    const account = await asOperator('readAccount', { id: customer });
    expect(account.wallet_use_limit.source === 'store').toBe(state === 'granted');
    expect(await recordsOf(customer)).toHaveLength(2);
  });

  test('a request and its withdrawal are records of its account; nobody else can withdraw it', async () => {
    const { customer, ask, asCustomer, asOperator, recordsOf, statesNow } = await open();
    const id = await ask({ limit: 'wallet_use', wanted: '500' });
    await expect(asOperator('withdrawLimitRequest', { id })).rejects.toMatchObject({
      code: 'limitRequestNotFound',
    });
    await asCustomer('withdrawLimitRequest', { id });
    expect(await statesNow()).toEqual(['withdrawn']);
    expect((await recordsOf(customer)).map(({ action, subject }) => [action, subject])).toEqual([
      ['withdrawlimitrequest', id],
      ['requestlimit', id],
    ]);
    const { limit_requests: listed } = await asOperator('listOpenLimitRequests', { query: PAGE });
    expect(listed).toEqual([]);
  });

  test('an account has at most ten open ones, however many it asks for at once', async () => {
    const { ask, asCustomer, asOperator, statesNow } = await open();
    const asked = Array.from({ length: MAX_OPEN_REQUESTS + 2 }, () =>
      ask({ limit: 'wallet_use', wanted: '7' }),
    );
    const outcomes = await Promise.allSettled(asked);
    const failed = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    const tooMany = { code: 'limitRequestsTooMany', context: { limit: MAX_OPEN_REQUESTS } };
    expect(failed).toMatchObject([tooMany, tooMany]);
    const { limit_requests: listed } = await asOperator('listOpenLimitRequests', { query: { limit: 1 } });
    await asCustomer('withdrawLimitRequest', { id: listed[0]?.limit_request_id ?? '' });
    await ask({ limit: 'wallet_use', wanted: '7' });
    expect((await statesNow()).filter((state) => state === 'open')).toHaveLength(MAX_OPEN_REQUESTS);
  });

  test('one for a plan that was removed since cannot be granted, and stays open', async () => {
    const { ask, asOperator, statesNow } = await open();
    await asOperator('putPlan', { body: { name: 'gold', requests_per_second: 500, burst: 2_000 } });
    const id = await ask({ limit: 'plan', wanted: 'gold' });
    await asOperator('deletePlan', { id: 'gold' });
    await expect(asOperator('grantLimitRequest', { id })).rejects.toMatchObject({ code: 'planNotFound' });
    expect(await statesNow()).toEqual(['open']);
  });

  test.each([
    [{ limit: 'plan', wanted: 'gold' }, 'planNotFound'],
    [{ limit: 'wallet_create', wanted: '0' }, 'bodyInvalid'],
    [{ limit: 'wallet_create', wanted: '1000001' }, 'bodyInvalid'],
    [{ limit: 'wallet_use', wanted: '5e3' }, 'bodyInvalid'],
  ] as const)('%j is refused with %s', async (wanted, code) => {
    const { ask, statesNow } = await open();
    await expect(ask(wanted)).rejects.toMatchObject({ code });
    expect(await statesNow()).toEqual([]);
  });
});
