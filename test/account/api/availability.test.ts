import { expect, test } from 'vitest';
import { MINUTE_MS, monthSpan } from '../../../src/account/service-level/month-span.ts';
import { closedMonths, serviceMonths } from '../../../src/store/billing-tables.ts';
import { NOW_MS } from '../new-customer.ts';
import { request, serve } from '../service-level/minutes.ts';
import { describeStores } from '../../store/backends.ts';
import { openOperatorWorld } from './operator-world.ts';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The first minute of the customer that counts. */
const FIRST_MS = Math.ceil(NOW_MS / MINUTE_MS) * MINUTE_MS;
const { startMs: MONTH_MS, endMs: MONTH_END_MS } = monthSpan('2025-10');

const print = (instantMs: number): string => new Date(instantMs).toISOString();

describeStores('the service level', (backend) => {
  const store = backend.emptied();

  async function open(nowMs = NOW_MS) {
    const world = await openOperatorWorld(store());
    world.setNow(nowMs);
    const announce = (startMs: number, minutes: number, note = 'work') =>
      world.asOperator('announceWork', {
        body: { starts_at: print(startMs), ends_at: print(startMs + minutes * MINUTE_MS), note },
      });
    return { ...world, announce };
  }

  test('of an account in the current month, with its error budget', async () => {
    const { asCustomer, customer } = await open(FIRST_MS + HOUR_MS + 15_000);
    await serve(store(), { startMs: MONTH_MS, endMs: FIRST_MS + HOUR_MS });
    await request(store(), { accountId: customer, minuteMs: FIRST_MS, requests: 4, failed: 3 });
    const first = MONTH_MS + MINUTE_MS;
    const allowed = ((MONTH_END_MS - first) / MINUTE_MS) * 500;
    expect(await asCustomer('getAvailability')).toMatchObject({
      target_percent: '99.9500',
      service_credits: [
        { below_percent: '99.9500', credit_percent: 10 },
        { below_percent: '99.0000', credit_percent: 25 },
        { below_percent: '95.0000', credit_percent: 100 },
      ],
      current: {
        month: '2025-10',
        availability_percent: '99.9938',
        planned_minutes: 0,
        minutes: (FIRST_MS + HOUR_MS - first) / MINUTE_MS,
        unavailable_minutes: '0.75',
        credit_percent: 0,
      },
      error_budget: {
        allowed_minutes: String(allowed / 1_000_000),
        used_minutes: '0.75',
        left_minutes: String((allowed - 750_000) / 1_000_000),
      },
      history: [],
      planned_work: [],
    });
  });

  test('of months that are over: those of the account where it has some, else those of the service', async () => {
    const { asCustomer, asViewer, customer } = await open();
    await store()
      .db.insert(serviceMonths)
      .values([
        { month: '2025-08', minutes: 44_640, planned: 0, unavailable: 0n },
        { month: '2025-09', minutes: 43_200, planned: 0, unavailable: 21_600_001n },
      ]);
    await store()
      .db.insert(closedMonths)
      .values({
        accountId: customer,
        month: '2025-09',
        charged: 100n,
        serviceCredit: 10n,
        minutes: 43_200,
        unavailable: 60_000_000n,
        closedAt: new Date(NOW_MS),
      });
    const service = {
      month: '2025-08',
      of: 'service',
      availability_percent: '100.0000',
      minutes: 44_640,
      unavailable_minutes: '0',
    };
    const own = {
      month: '2025-09',
      of: 'account',
      availability_percent: '99.8611',
      minutes: 43_200,
      unavailable_minutes: '60',
    };
    expect((await asCustomer('getAvailability')).history).toEqual([
      { ...own, credit_usd: '0.00001' },
      service,
    ]);
    expect((await asViewer('getAvailability')).history).toEqual([own, service]);
  });

  test('work that is announced in time does not count, which its operator and all accounts see', async () => {
    const { announce, asCustomer, asOperator, operator, recordsOf } = await open();
    const startMs = FIRST_MS + DAY_MS;
    const work = await announce(startMs, 60, 'a larger database');
    expect(work).toEqual({
      work_id: expect.any(String),
      starts_at: print(startMs),
      ends_at: print(startMs + HOUR_MS),
      note: 'a larger database',
      announced_at: print(NOW_MS),
      minutes: 60,
      excluded_minutes: 60,
    });
    expect(await recordsOf(operator)).toMatchObject([{ action: 'announcework', subject: work.work_id }]);
    expect((await asCustomer('getAvailability')).planned_work).toEqual([work]);
    expect(await asOperator('listPlannedWork')).toEqual({ planned_work: [work] });
  });

  test('work that is announced too late counts, and so does what is beyond the allowance of its month', async () => {
    const { announce, asOperator } = await open();
    const startMs = FIRST_MS + 3 * DAY_MS;
    expect(await announce(startMs, 240)).toMatchObject({ excluded_minutes: 240 });
    expect(await announce(FIRST_MS + DAY_MS - MINUTE_MS, 60)).toMatchObject({
      minutes: 60,
      excluded_minutes: 0,
      counts_because: 'announced_late',
    });
    expect(await announce(startMs + 235 * MINUTE_MS, 10)).toMatchObject({
      minutes: 10,
      excluded_minutes: 5,
      counts_because: 'allowance_used',
    });
    expect(await announce(FIRST_MS + 2 * DAY_MS, 100)).toMatchObject({ excluded_minutes: 100 });
    const { planned_work: all } = await asOperator('listPlannedWork');
    expect(all.map(({ excluded_minutes: excluded }) => excluded)).toEqual([0, 100, 140, 0]);
  });

  test('work over the end of a month uses the allowance of both', async () => {
    const { announce } = await open();
    expect(await announce(MONTH_END_MS - 5 * HOUR_MS, 10 * 60)).toMatchObject({
      minutes: 600,
      excluded_minutes: 480,
      counts_because: 'allowance_used',
    });
  });

  test('work is cancelled until it begins, once', async () => {
    const { announce, asCustomer, asOperator, operator, recordsOf, setNow } = await open();
    const [first, second] = [
      await announce(FIRST_MS + DAY_MS, 60),
      await announce(FIRST_MS + 2 * DAY_MS, 60),
    ];
    setNow(FIRST_MS + DAY_MS - 1);
    const cancelled = await asOperator('cancelWork', { id: first.work_id });
    expect(cancelled).toEqual({
      ...first,
      cancelled_at: print(FIRST_MS + DAY_MS - 1),
      excluded_minutes: 0,
      counts_because: 'cancelled',
    });
    setNow(FIRST_MS + DAY_MS + 1);
    expect(await asOperator('cancelWork', { id: first.work_id })).toEqual(cancelled);
    expect((await asCustomer('getAvailability')).planned_work).toEqual([second]);
    setNow(FIRST_MS + 2 * DAY_MS);
    await expect(asOperator('cancelWork', { id: second.work_id })).rejects.toMatchObject({
      code: 'plannedWorkBegun',
    });
    await expect(asOperator('cancelWork', { id: 'x' })).rejects.toMatchObject({
      code: 'plannedWorkNotFound',
    });
    const records = await recordsOf(operator);
    expect(records.map(({ action }) => action)).toEqual(['cancelwork', 'announcework', 'announcework']);
  });

  test('work that is over stays visible to all accounts in the months after, until it is not listed any more', async () => {
    const { announce, asCustomer, asOperator, setNow } = await open();
    const work = await announce(FIRST_MS + DAY_MS, 60);
    for (const [days, shown] of [
      [2, [work]],
      [45, [work]],
      [365, []],
    ] as const) {
      setNow(FIRST_MS + days * DAY_MS);
      expect((await asCustomer('getAvailability')).planned_work).toEqual(shown);
      expect((await asOperator('listPlannedWork')).planned_work).toEqual(shown);
    }
  });

  test.each([
    ['a start now', FIRST_MS, FIRST_MS + HOUR_MS, '/starts_at'],
    ['a start within a minute', FIRST_MS + DAY_MS + 1, FIRST_MS + 2 * DAY_MS, '/starts_at'],
    ['an end within a minute', FIRST_MS + DAY_MS, FIRST_MS + DAY_MS + 1, '/ends_at'],
    ['an end at the start', FIRST_MS + DAY_MS, FIRST_MS + DAY_MS, '/ends_at'],
    ['more than a day', FIRST_MS + DAY_MS, FIRST_MS + 2 * DAY_MS + MINUTE_MS, '/ends_at'],
  ])('work with %s is refused', async (_, startMs, endMs, pointer) => {
    const { asOperator } = await open(FIRST_MS);
    const body = { starts_at: print(startMs), ends_at: print(endMs), note: 'work' };
    await expect(asOperator('announceWork', { body })).rejects.toMatchObject({
      code: 'bodyInvalid',
      context: { errors: [{ pointer }] },
    });
    expect((await asOperator('listPlannedWork')).planned_work).toEqual([]);
  });

  test('work of a day, and of a minute, is announced', async () => {
    const { announce } = await open();
    expect(await announce(FIRST_MS + 2 * DAY_MS, 24 * 60)).toMatchObject({ minutes: 1_440 });
    expect(await announce(FIRST_MS, 1)).toMatchObject({ minutes: 1 });
  });
});
