import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { verifyAudit } from '../../../src/account/audit/verify-audit.ts';
import { readBalance } from '../../../src/account/billing/books/balance.ts';
import { loadPlanBook } from '../../../src/account/plans/plans.ts';
import { readCreateLimits, CreateLimitBook } from '../../../src/account/plans/wallet-create-limit.ts';
import { setupLinks } from '../../../src/store/member-tables.ts';
import { eq } from '../../../src/store/drizzle.ts';
import { createApiKey } from '../../../src/account/identity/api-keys/api-keys.ts';
import { addNetworkCalls } from '../../../src/account/usage/network-calls-store.ts';
import { addUsage } from '../../../src/account/usage/usage-store.ts';
import { NOW_MS } from '../new-customer.ts';
import { describeStores } from '../../store/backends.ts';
import { openOperatorWorld } from './operator-world.ts';

const PAGE = { limit: 100 };

describeStores("operators' operations", (backend) => {
  const store = backend.emptied();
  const open = () => openOperatorWorld(store());

  test('a plan applies at once and after a restart, and is on record in both logs', async () => {
    const { deps, customer, asOperator, expectRecorded } = await open();
    const shown = await asOperator('setAccountPlan', { id: customer, body: { plan: 'production' } });
    expect(shown).toMatchObject({ account_id: customer, plan: { name: 'production', source: 'spec' } });
    expect(deps.plans.planOf(customer).name).toBe('production');
    expect((await loadPlanBook(store())).planOf(customer).name).toBe('production');
    await expectRecorded('setAccountPlan', customer, 'setaccountplan');
    const unknown = asOperator('setAccountPlan', { id: customer, body: { plan: 'gold' } });
    await expect(unknown).rejects.toMatchObject({ code: 'planNotFound' });
  });

  test('limits are set one by one and taken back, and are on record in both logs', async () => {
    const { deps, customer, asOperator, expectRecorded, recordsOf } = await open();
    const set = (limit: 'wallet_create' | 'wallet_use', requests?: number) =>
      asOperator('setAccountLimits', { id: customer, body: { limit, ...(requests && { requests }) } });
    expect(await set('wallet_create', 5_000)).toMatchObject({
      wallet_create_limit: { requests: 5_000, window_seconds: 60, source: 'store' },
      wallet_use_limit: { source: 'plan' },
    });
    await expectRecorded('setAccountLimits', customer, 'setaccountlimits');
    expect(deps.limits.limitOf(customer).burst).toBe(5_000);
    const restarted = new CreateLimitBook();
    await readCreateLimits(store(), restarted);
    expect(restarted.limitOf(customer).burst).toBe(5_000);
    expect(await set('wallet_use', 7)).toMatchObject({ wallet_use_limit: { requests: 7, source: 'store' } });
    expect(await set('wallet_create')).toMatchObject({ wallet_create_limit: { source: 'spec' } });
    expect(await set('wallet_use')).toMatchObject({ wallet_use_limit: { source: 'plan' } });
    expect(await recordsOf(customer)).toHaveLength(4);
  });

  test('a credit is booked and recorded once for its reference, however often and how many at once', async () => {
    const { customer, asOperator, expectRecorded, recordsOf } = await open();
    const give = (amount_usd: string, reference: string) =>
      asOperator('creditAccount', { id: customer, body: { amount_usd, reference } });
    await Promise.all([1, 2, 3].map(() => give('25', 'invoice 7')));
    expect((await give('25.00', 'invoice 7')).balance.available_usd).toBe('25.00');
    await expectRecorded('creditAccount', customer, 'creditaccount');
    expect(await recordsOf(customer)).toHaveLength(1);
    await expect(give('26', 'invoice 7')).rejects.toMatchObject({
      code: 'creditReferenceUsed',
      context: { reference: 'invoice 7', amountUsd: '25.00' },
    });
    await expect(give('-26', 'back')).rejects.toMatchObject({ code: 'creditNotAvailable' });
    expect((await give('-5', 'back')).balance.available_usd).toBe('20.00');
    expect((await readBalance(store(), customer, NOW_MS)).balance).toBe(20_000_000n);
    expect(await recordsOf(customer)).toHaveLength(2);
  });

  test('a payment is booked and recorded once for its reference, and no money goes back', async () => {
    const { customer, asOperator, expectRecorded, recordsOf } = await open();
    const pay = (amount_usd: string, reference: string) =>
      asOperator('bookPayment', { id: customer, body: { amount_usd, reference } });
    const answers = await Promise.all([1, 2, 3].map(() => pay('25', 'pi_7')));
    expect(answers.map(({ was_booked }) => was_booked).sort()).toEqual([false, true, true]);
    expect(await pay('25.00', 'pi_7')).toEqual({
      account_id: customer,
      amount_usd: '25.00',
      reference: 'pi_7',
      was_booked: true,
    });
    await expectRecorded('bookPayment', customer, 'bookpayment');
    expect(await recordsOf(customer)).toHaveLength(1);
    await expect(pay('26', 'pi_7')).rejects.toMatchObject({ code: 'creditReferenceUsed' });
    for (const wrong of ['-1', '0.00'])
      await expect(pay(wrong, 'pi_8')).rejects.toMatchObject({ code: 'bodyInvalid' });
    expect((await readBalance(store(), customer, NOW_MS)).balance).toBe(25_000_000n);
  });

  test('an account is created once for its name, with its plan, and operates nothing', async () => {
    const { operator, operatorToken, asOperator, recordsOf } = await open();
    const made = await asOperator('createAccount', { body: { name: 'acme', plan: 'production' } });
    expect(made).toMatchObject({ name: 'acme', operates: false, plan: { name: 'production' } });
    const requestId = 'req_createAccount';
    const record = { action: 'createaccount', outcome: 'ok', subject: made.account_id, requestId };
    expect((await recordsOf(operator))[0]).toEqual({ ...record, tokenId: operatorToken });
    expect(await recordsOf(made.account_id)).toEqual([{ ...record, tokenId: null }]);
    for (const name of ['acme', 'development'])
      await expect(asOperator('createAccount', { body: { name } })).rejects.toMatchObject({
        code: 'accountNameTaken',
      });
    const unknown = asOperator('createAccount', { body: { name: 'other', plan: 'gold' } });
    await expect(unknown).rejects.toMatchObject({ code: 'planNotFound' });
    const { accounts } = await asOperator('listAccounts', { query: { ...PAGE, name: 'cm' } });
    expect(accounts.map(({ name, plan }) => [name, plan])).toEqual([['acme', 'production']]);
  });

  test('accounts are listed page by page, each once; a search takes no pattern', async () => {
    const { operator, customer, asOperator } = await open();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await asOperator('listAccounts', {
        query: { limit: 1, ...(cursor === undefined ? {} : { cursor }) },
      });
      seen.push(...page.accounts.map(({ account_id }) => account_id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual([operator, customer].toSorted());
    const { accounts } = await asOperator('listAccounts', { query: { ...PAGE, name: '%' } });
    expect(accounts).toEqual([]);
  });

  test('a set-up link works for the account, replaces the one before, and is on record in both logs', async () => {
    const { customer, asOperator, expectRecorded } = await open();
    const first = await asOperator('createAccountSetupLink', { id: customer });
    const second = await asOperator('createAccountSetupLink', { id: customer });
    expect(first.link).not.toBe(second.link);
    expect(second.link).toMatch(/^https:\/\/keyslot[.]example\/dashboard\/setup#token=ks_set_\w+$/);
    const links = await store().db.select().from(setupLinks).where(eq(setupLinks.accountId, customer));
    expect(links.map(({ userId, expiresAt }) => [userId, expiresAt.toISOString()])).toEqual([
      [null, second.expires_at],
    ]);
    await expectRecorded('createAccountSetupLink', customer, 'setup_link.create');
  });

  test('plans are put and deleted for every account, and are on record in the log of the operator', async () => {
    const { deps, operator, operatorToken, asOperator, recordsOf } = await open();
    const gold = { name: 'gold', requests_per_second: 500, burst: 2_000 };
    expect(await asOperator('putPlan', { body: gold })).toEqual({ ...gold, source: 'store' });
    expect(deps.plans.find('gold')).toMatchObject({ burst: 2_000 });
    const tooNarrow = asOperator('putPlan', { body: { ...gold, burst: 499 } });
    await expect(tooNarrow).rejects.toMatchObject({ code: 'bodyInvalid' });
    const { plans } = await asOperator('listPlans');
    expect(plans.find(({ is_default }) => is_default)).toMatchObject({ name: 'developer', accounts: 2 });
    expect(await asOperator('deletePlan', { id: 'gold' })).toEqual({ name: 'gold' });
    expect(await recordsOf(operator)).toEqual(
      (['deletePlan', 'listPlans', 'putPlan'] as const).map((operation) => ({
        action: operation.toLowerCase(),
        outcome: 'ok',
        tokenId: operatorToken,
        subject: operation === 'listPlans' ? null : 'gold',
        requestId: `req_${operation}`,
      })),
    );
  });

  test('what an operator reads is on record in its own log alone', async () => {
    const { operator, customer, asOperator, recordsOf } = await open();
    await asOperator('listAccounts', { query: PAGE });
    await asOperator('readAccount', { id: customer });
    await asOperator('listOpenLimitRequests', { query: PAGE });
    const { networks } = await asOperator('listNodes');
    const health = {
      standing: 'degraded',
      reasons: ['behind by 3 slots, 1.2 s'],
      roles: ['read', 'send'],
      weight: 2,
      slot: 14,
      lag_slots: 3,
      first_slot: 2,
      is_stale: false,
    };
    expect(networks).toEqual([
      {
        name: 'solana',
        environment: 'localnet',
        state: 'ready',
        slot_ms: 400,
        consensus: 'alpenglow',
        alpenglow_from: 9,
        slot_ms_from: 'notifications',
        newest_slot: 17,
        nodes: [
          {
            name: 'node-1',
            is_reachable: true,
            is_ordered: true,
            version: '4.4.0',
            feature_set: 7,
            ...health,
          },
          { name: 'node-2', is_reachable: false, is_ordered: false, ...health },
        ],
        beyond_specification: [
          {
            node: 'node-1',
            kind: 'member',
            name: 'getSlot.result.new',
            count: 2,
            first_seen: new Date(NOW_MS).toISOString(),
          },
        ],
        unknown_methods: [{ name: 'getBalence', count: 3, first_seen: new Date(NOW_MS).toISOString() }],
      },
    ]);
    expect((await recordsOf(operator)).map(({ action, subject }) => [action, subject])).toEqual([
      ['listnodes', null],
      ['listopenlimitrequests', null],
      ['readaccount', customer],
      ['listaccounts', null],
    ]);
    expect(await recordsOf(customer)).toEqual([]);
  });

  test('an operator that acts on itself has one record of it; all logs stay intact', async () => {
    const { deps, operator, asOperator, recordsOf } = await open();
    await asOperator('setAccountPlan', { id: operator, body: { plan: 'production' } });
    expect((await recordsOf(operator)).map(({ action }) => action)).toEqual(['setaccountplan']);
    const verdict = await verifyAudit({ store: deps.store, headsFile: '/nowhere/heads', trustedKeys: [] });
    expect(verdict.accounts.flatMap(({ problems }) => problems)).toEqual([]);
  });

  test('what is done to an account that is not there changes and records nothing', async () => {
    const { operator, asOperator, recordsOf } = await open();
    for (const id of [randomUUID(), 'x']) {
      const asked = [
        asOperator('readAccount', { id }),
        asOperator('setAccountPlan', { id, body: { plan: 'production' } }),
        asOperator('setAccountLimits', { id, body: { limit: 'wallet_use', requests: 1 } }),
        asOperator('creditAccount', { id, body: { amount_usd: '1', reference: 'a' } }),
        asOperator('createAccountSetupLink', { id }),
      ];
      const outcomes = await Promise.allSettled(asked);
      expect(outcomes).toMatchObject(
        asked.map(() => ({ status: 'rejected', reason: { code: 'accountNotFound' } })),
      );
    }
    expect(await recordsOf(operator)).toEqual([]);
  });

  test('a customer sees the networks, and its own calls next to those of all, in the last hour, day and month', async () => {
    const { deps, customer, operator, asCustomer } = await open();
    const [writerId, network] = [randomUUID(), 'solana-localnet'];
    const ago = (minutes: number) => NOW_MS - minutes * 60_000;
    const own = await createApiKey(deps, { accountId: customer, name: 'own' }, NOW_MS);
    const other = await createApiKey(deps, { accountId: operator, name: 'other' }, NOW_MS);
    const usage = {
      network,
      method: 'getSlot',
      errors: 1,
      callerErrors: 3,
      refused: 2,
      weight: 5,
      messages: 0,
    };
    const rows = [50, 23 * 60, 29 * 1_440, 33 * 1_440].flatMap((minutes) => [
      { ...usage, minuteMs: ago(minutes), keyId: own.id, calls: 5 },
      { ...usage, minuteMs: ago(minutes), keyId: other.id, calls: 7 },
    ]);
    await addUsage(store(), { writerId, number: 1, rows }, NOW_MS);
    const durations = Array.from({ length: 15 }, (_, bucket) => (bucket === 2 ? 99 : bucket === 9 ? 1 : 0));
    const slow = durations.map((_, bucket) => (bucket === 14 ? 3 : 0));
    const calls = [
      { network, startMs: ago(50), calls: 100, errors: 2, durations },
      { network, startMs: ago(20 * 1_440), calls: 3, errors: 0, durations: slow },
    ];
    await addNetworkCalls(store(), { writerId, number: 2, rows: calls }, NOW_MS);
    const shown = await asCustomer('listNetworks');
    const [{ spans = [] } = {}] = shown.networks;
    expect(shown.networks).toEqual([
      {
        name: 'solana',
        environment: 'localnet',
        rpc_path: '/solana-localnet',
        state: 'ready',
        nodes: 2,
        reachable_nodes: 1,
        versions: ['4.4.0'],
        slot_ms: 400,
        spans,
        consensus: 'alpenglow',
      },
    ]);
    const known = new Date(ago(20 * 1_440)).toISOString();
    expect(spans).toMatchObject([
      {
        span: 'hour',
        calls: 100,
        errors: 2,
        p99_ms: 5,
        own: { calls: 5, errors: 1, caller_errors: 3, refused: 2 },
      },
      {
        span: 'day',
        calls: 100,
        errors: 2,
        p99_ms: 5,
        own: { calls: 10, errors: 2, caller_errors: 6, refused: 4 },
      },
      { span: 'month', calls: 103, known_since: known, p99_above_ms: 30_000 },
    ]);
    expect(spans[2]?.own).toEqual({ calls: 15, errors: 3, caller_errors: 9, refused: 6 });
    expect(spans.map((span) => 'known_since' in span)).toEqual([false, false, true]);
    expect(spans[2]).not.toHaveProperty('p99_ms');
    const sinceMs = spans.map(({ since }) => NOW_MS - Date.parse(since));
    const unitsMs = [300_000, 3_600_000, 3_600_000];
    for (const [at, ms] of [3_600_000, 86_400_000, 30 * 86_400_000].entries()) {
      expect(sinceMs[at]).toBeGreaterThanOrEqual(ms);
      expect(sinceMs[at]).toBeLessThan(ms + (unitsMs[at] ?? 0));
    }
  });

  test('calls of all accounts are no fewer than the own ones that are stored already', async () => {
    const { deps, customer, asCustomer } = await open();
    const own = await createApiKey(deps, { accountId: customer, name: 'own' }, NOW_MS);
    const counts = { calls: 5, errors: 2, callerErrors: 3, refused: 0, weight: 5, messages: 0 };
    const row = { ...counts, network: 'solana-localnet', method: 'getSlot', keyId: own.id };
    const batch = { writerId: randomUUID(), number: 1, rows: [{ ...row, minuteMs: NOW_MS - 60_000 }] };
    await addUsage(store(), batch, NOW_MS);
    const { networks } = await asCustomer('listNetworks');
    const shown = { calls: 5, errors: 2, own: { calls: 5, errors: 2, caller_errors: 3, refused: 0 } };
    expect(networks[0]?.spans).toMatchObject([shown, shown, shown]);
    expect(networks[0]?.spans[0]).not.toHaveProperty('p99_above_ms');
  });

  test('a network of which no call is on record says that none is known yet', async () => {
    const { asCustomer } = await open();
    const { networks } = await asCustomer('listNetworks');
    const now = new Date(NOW_MS).toISOString();
    const own = { calls: 0, errors: 0, caller_errors: 0, refused: 0 };
    const none = { known_since: now, calls: 0, errors: 0, own };
    expect(networks[0]?.spans).toMatchObject([none, none, none]);
  });
});
