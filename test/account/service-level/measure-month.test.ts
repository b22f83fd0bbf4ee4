import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureMonth } from '../../../src/account/service-level/measure-month.ts';
import { MINUTE_MS, monthSpan } from '../../../src/account/service-level/month-span.ts';
import { readAvailability } from '../../../src/account/service-level/read-availability.ts';
import { plannedWork, serviceMinutes, walletMinutes } from '../../../src/store/billing-tables.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { describeStores } from '../../store/backends.ts';
import { breakOff, createdAt, request, serve, UP } from './minutes.ts';
import { rounds } from '../../support/tier.ts';

const MONTH = '2026-02';
const { startMs: START, endMs: END } = monthSpan(MONTH);
/** The month is over, and everything of it is recorded. */
const AFTER = END + 10 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MINUTES = 28 * 24 * 60;

const plan = ({ db }: Store, startMs: number, minutes: number, announcedMs = startMs - DAY_MS) =>
  db.insert(plannedWork).values({
    id: randomUUID(),
    note: 'work',
    announcedAt: new Date(announcedMs),
    startsAt: new Date(startMs),
    endsAt: new Date(startMs + minutes * MINUTE_MS),
  });

describeStores('the availability of a month', (backend) => {
  const opened = backend.emptied();
  const read = (accountId: string, nowMs = AFTER) =>
    readAvailability(opened().db, { accountId, month: MONTH, nowMs });

  test('is all of it where every part of every minute was proved', async () => {
    const id = await createdAt(opened(), 0);
    await serve(opened(), { startMs: START - DAY_MS, endMs: END });
    expect(await read(id)).toEqual({ minutes: MINUTES, planned: 0, unavailable: 0n });
  });

  test('counts minutes without a row as down, and parts without a proof', async () => {
    const id = await createdAt(opened(), 0);
    await serve(opened(), { startMs: START - DAY_MS, endMs: END });
    await breakOff(opened(), { startMs: START + HOUR_MS, endMs: START + 2 * HOUR_MS });
    await serve(opened(), { startMs: START, endMs: START + MINUTE_MS }, UP - 1);
    expect(await read(id)).toMatchObject({ unavailable: 60_000_000n + 83_333n });
  });

  test('counts failed requests of an account where they are more than what was down', async () => {
    const [mine, other] = [await createdAt(opened(), 0), await createdAt(opened(), 0)];
    await serve(opened(), { startMs: START - DAY_MS, endMs: END });
    await serve(opened(), { startMs: START, endMs: START + MINUTE_MS }, 0b111111);
    await request(opened(), { accountId: mine, minuteMs: START, requests: 3, failed: 1 });
    await request(opened(), { accountId: mine, minuteMs: START + MINUTE_MS, requests: 3, failed: 2 });
    await request(opened(), { accountId: other, minuteMs: START, requests: 3, failed: 2 });
    expect(await read(mine)).toMatchObject({ unavailable: 500_000n + 666_666n });
    expect(await read(other)).toMatchObject({ unavailable: 666_666n });
    expect(await measureMonth(opened().db, { month: MONTH, nowMs: AFTER })).toMatchObject({
      unavailable: 500_000n,
    });
  });

  test('begins with the first whole minute after the first proof ever', async () => {
    const id = await createdAt(opened(), 0);
    expect(await read(id)).toEqual({ minutes: 0, planned: 0, unavailable: 0n });
    await serve(opened(), { startMs: END - HOUR_MS, endMs: END });
    expect(await read(id)).toEqual({ minutes: 59, planned: 0, unavailable: 0n });
  });

  test('has nothing that was unavailable before the first whole minute of the account', async () => {
    await serve(opened(), { startMs: START - DAY_MS, endMs: END - 3 * HOUR_MS });
    const whole = await createdAt(opened(), END - 2 * HOUR_MS);
    const later = await createdAt(opened(), END - 2 * HOUR_MS + 1);
    const all = { minutes: MINUTES, planned: 0 };
    expect(await read(whole)).toEqual({ ...all, unavailable: 120_000_000n });
    expect(await read(later)).toEqual({ ...all, unavailable: 119_000_000n });
    expect(await read(await createdAt(opened(), END))).toEqual({ ...all, unavailable: 0n });
  });

  test('ends with the last minute that was over 15 seconds ago', async () => {
    const id = await createdAt(opened(), 0);
    await serve(opened(), { startMs: START - DAY_MS, endMs: START + 10 * MINUTE_MS });
    const at = async (nowMs: number) => (await read(id, START + nowMs)).minutes;
    expect(await at(2 * MINUTE_MS + 14_999)).toBe(1);
    expect(await at(2 * MINUTE_MS + 15_000)).toBe(2);
    expect(await at(-DAY_MS)).toBe(0);
    expect(await measureMonth(opened().db, { month: MONTH, nowMs: START })).toMatchObject({
      minutes: 0,
      wholeMonth: MINUTES,
    });
  });

  test('leaves planned work out, that after now too where the whole month is asked for', async () => {
    const id = await createdAt(opened(), START + 30 * MINUTE_MS);
    await serve(opened(), { startMs: START - DAY_MS, endMs: END });
    await breakOff(opened(), { startMs: START, endMs: START + 2 * HOUR_MS });
    await plan(opened(), START - HOUR_MS, 2 * 60);
    await plan(opened(), END - HOUR_MS, 120);
    const nowMs = START + DAY_MS + 15_000;
    expect(await measureMonth(opened().db, { accountId: id, month: MONTH, nowMs })).toEqual({
      minutes: 23 * 60,
      planned: 60,
      unavailable: 60_000_000n,
      wholeMonth: MINUTES - 60 - 60,
    });
  });

  test('is what a slow computation says, for any minutes, requests and work', async () => {
    const store = opened();
    const minutes = 300;
    const arbitrary = fc.record({
      slots: fc.array(fc.option(fc.integer({ min: 0, max: UP })), { minLength: minutes, maxLength: minutes }),
      requests: fc.array(
        fc.record({
          account: fc.integer({ min: 0, max: 1 }),
          minute: fc.integer({ min: 0, max: minutes - 1 }),
          answered: fc.integer({ min: 0, max: 5 }),
          failed: fc.integer({ min: 0, max: 5 }),
        }),
        { maxLength: 80 },
      ),
      works: fc.array(
        fc.record({
          start: fc.integer({ min: 0, max: minutes }),
          minutes: fc.integer({ min: 1, max: 60 }),
          noticeHours: fc.integer({ min: 23, max: 25 }),
        }),
        { maxLength: 4 },
      ),
      first: fc.integer({ min: 0, max: minutes }),
      createdSeconds: fc.integer({ min: 0, max: minutes * 60 }),
      nowSeconds: fc.integer({ min: 0, max: minutes * 60 }),
    });
    const at = (minute: number) => START + minute * MINUTE_MS;
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ slots, requests, works, first, createdSeconds, nowSeconds }) => {
        for (const table of [serviceMinutes, walletMinutes, plannedWork]) await store.db.delete(table);
        const accountIds = [
          await createdAt(store, 0),
          await createdAt(store, START + createdSeconds * 1_000),
        ] as const;
        const rows = slots.flatMap((each, minute) =>
          each === null || minute < first ? [] : [{ minute: new Date(at(minute)), slots: each }],
        );
        if (rows.length > 0) await store.db.insert(serviceMinutes).values(rows);
        const counted = new Map(
          requests
            .filter(({ answered, failed }) => answered + failed > 0)
            .map((row) => [`${row.account} ${row.minute}`, row]),
        );
        for (const { account, minute, answered, failed } of counted.values()) {
          const accountId = accountIds[account] ?? '';
          await request(store, { accountId, minuteMs: at(minute), requests: answered + failed, failed });
        }
        for (const each of works)
          await plan(store, at(each.start), each.minutes, at(each.start) - each.noticeHours * HOUR_MS);
        const firstRow = rows[0]?.minute.getTime();
        for (const [index, accountId] of accountIds.entries()) {
          let [count, planned, unavailable] = [0, 0, 0n];
          for (let minute = 0; minute < minutes; minute++) {
            const minuteMs = at(minute);
            const isBefore = firstRow === undefined || minuteMs <= firstRow;
            if (isBefore || minuteMs + MINUTE_MS + 15_000 > START + nowSeconds * 1_000) continue;
            const isPlanned = works.some(
              (each) => each.noticeHours >= 24 && each.start <= minute && minute < each.start + each.minutes,
            );
            if (isPlanned) {
              planned += 1;
              continue;
            }
            count += 1;
            if (index === 1 && minuteMs < START + createdSeconds * 1_000) continue;
            const proved = (slots[minute] ?? 0).toString(2).replaceAll('0', '').length;
            const row = counted.get(`${index} ${minute}`);
            const down = ((12 - proved) * 1_000_000) / 12;
            const failed = row === undefined ? 0 : (row.failed * 1_000_000) / (row.answered + row.failed);
            unavailable += BigInt(Math.floor(Math.max(down, failed)));
          }
          const nowMs = START + nowSeconds * 1_000;
          const measured = await readAvailability(store.db, { accountId, month: MONTH, nowMs });
          expect(measured).toEqual({ minutes: count, planned, unavailable });
        }
      }),
      { numRuns: rounds(40) },
    );
  });

  test('is the same in a transaction', async () => {
    const id = await createdAt(opened(), 0);
    await serve(opened(), { startMs: START - DAY_MS, endMs: END - HOUR_MS });
    const query = { accountId: id, month: MONTH, nowMs: AFTER };
    expect(await opened().transaction((tx) => readAvailability(tx, query))).toEqual(
      await readAvailability(opened().db, query),
    );
  });
});
