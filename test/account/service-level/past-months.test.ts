import { expect, test } from 'vitest';
import { keepServiceMonth } from '../../../src/account/service-level/remember-months.ts';
import { MINUTE_MS, monthSpan } from '../../../src/account/service-level/month-span.ts';
import { purgeMinutes, purgeUnfailed } from '../../../src/account/service-level/purge-minutes.ts';
import { isMonthRecorded } from '../../../src/account/service-level/recorded-until.ts';
import { serviceMinutes, serviceMonths, walletMinutes } from '../../../src/store/billing-tables.ts';
import { asc } from '../../../src/store/drizzle.ts';
import { operationCounts } from '../../../src/store/money-tables.ts';
import { describeStores } from '../../store/backends.ts';
import { createdAt, request, serve } from './minutes.ts';

const DAY_MS = 86_400_000;
const JANUARY = monthSpan('2026-01');
const FEBRUARY = monthSpan('2026-02');
/** January ended 62 days ago, and the day of that is over. */
const LATER = Date.UTC(2026, 3, 4);

test('a month is recorded ten minutes after its end', () => {
  const recordedMs = JANUARY.endMs + 10 * MINUTE_MS;
  expect(isMonthRecorded('2026-01', recordedMs - 1)).toBe(false);
  expect(isMonthRecorded('2026-01', recordedMs)).toBe(true);
});

describeStores('months that are over', (backend) => {
  const opened = backend.emptied();
  const keepAll = async (nowMs: number) => {
    let kept = 0;
    while (await keepServiceMonth(opened(), nowMs)) kept += 1;
    return kept;
  };
  const purgeAll = async (nowMs = LATER) => {
    while (await purgeMinutes(opened(), nowMs));
    const minutes = await opened().db.select().from(serviceMinutes).orderBy(asc(serviceMinutes.minute));
    return {
      count: minutes.length,
      first: minutes[0]?.minute.getTime(),
      second: minutes[1]?.minute.getTime(),
    };
  };

  test('are kept once each, from the one of the first proof on, also those in which nothing was served', async () => {
    expect(await keepAll(LATER)).toBe(0);
    const startMs = JANUARY.endMs - 60 * MINUTE_MS;
    await serve(opened(), { startMs, endMs: FEBRUARY.startMs + 30 * MINUTE_MS });
    expect(await keepAll(JANUARY.endMs + 10 * MINUTE_MS - 1)).toBe(0);
    expect(await keepAll(JANUARY.endMs + 10 * MINUTE_MS)).toBe(1);
    expect(await keepAll(LATER)).toBe(2);
    expect(await opened().db.select().from(serviceMonths).orderBy(asc(serviceMonths.month))).toEqual([
      { month: '2026-01', minutes: 59, planned: 0, unavailable: 0n },
      {
        month: '2026-02',
        minutes: 28 * 1_440,
        planned: 0,
        unavailable: BigInt(28 * 1_440 - 30) * 1_000_000n,
      },
      { month: '2026-03', minutes: 31 * 1_440, planned: 0, unavailable: BigInt(31 * 1_440) * 1_000_000n },
    ]);
  });

  test('of two servers at once is kept once', async () => {
    await serve(opened(), { startMs: JANUARY.startMs, endMs: JANUARY.endMs });
    await Promise.all(Array.from({ length: 4 }, () => keepServiceMonth(opened(), FEBRUARY.startMs + DAY_MS)));
    expect(await opened().db.select().from(serviceMonths)).toHaveLength(1);
  });

  test('lose their minutes when they ended 62 days ago, but for the very first one', async () => {
    const accountId = await createdAt(opened(), 0);
    const startMs = JANUARY.endMs - 6_000 * MINUTE_MS;
    await serve(opened(), { startMs, endMs: FEBRUARY.startMs + 3 * MINUTE_MS });
    await request(opened(), { accountId, minuteMs: JANUARY.endMs - MINUTE_MS, requests: 1, failed: 0 });
    await request(opened(), { accountId, minuteMs: FEBRUARY.startMs, requests: 1, failed: 0 });
    await keepAll(LATER);
    expect(await purgeAll(LATER - 3 * DAY_MS)).toMatchObject({ count: 6_003 });
    expect(await purgeMinutes(opened(), LATER)).toBe(true);
    expect(await purgeAll()).toEqual({ count: 4, first: startMs, second: FEBRUARY.startMs });
    const left = await opened().db.select().from(walletMinutes);
    expect(left.map(({ minute }) => minute.getTime())).toEqual([FEBRUARY.startMs]);
  });

  test('requests that the service answered go after an hour, a day long; those that it failed stay', async () => {
    const accountId = await createdAt(opened(), 0);
    const at = (ms: number, failed: number) =>
      request(opened(), { accountId, minuteMs: LATER - ms, requests: 5, failed });
    const hour = 60 * MINUTE_MS;
    for (const [ms, failed] of [
      [hour, 0],
      [hour + MINUTE_MS, 0],
      [hour + 2 * MINUTE_MS, 1],
      [DAY_MS, 0],
      [DAY_MS + MINUTE_MS, 0],
    ] as const)
      await at(ms, failed);
    expect(await purgeUnfailed(opened(), LATER)).toBe(false);
    const left = await opened().db.select().from(walletMinutes).orderBy(asc(walletMinutes.minute));
    expect(left.map(({ minute, failed }) => [LATER - minute.getTime(), failed])).toEqual([
      [DAY_MS + MINUTE_MS, 0],
      [hour + 2 * MINUTE_MS, 1],
      [hour, 0],
    ]);
  });

  test('keep their minutes until the service has its figures of them', async () => {
    await serve(opened(), { startMs: JANUARY.startMs, endMs: JANUARY.startMs + 10 * MINUTE_MS });
    expect(await purgeAll()).toMatchObject({ count: 10 });
  });

  test('keep their minutes while an account that was charged in them has no figures yet', async () => {
    const { db } = opened();
    const accountId = await createdAt(opened(), 0);
    await serve(opened(), { startMs: JANUARY.startMs, endMs: JANUARY.startMs + 10 * MINUTE_MS });
    await keepAll(LATER);
    const counted = { accountId, operation: 'wallet_creation', units: 1n };
    await db.insert(operationCounts).values([
      { ...counted, month: '2026-01', amount: 1_000n },
      { ...counted, month: '2025-12', amount: 1_000n, isClosed: true },
    ]);
    expect(await purgeAll()).toMatchObject({ count: 10 });
    await db.update(operationCounts).set({ isClosed: true });
    expect(await purgeAll()).toMatchObject({ count: 1 });
  });
});
