import { expect, test } from 'vitest';
import type { MeasuredMonth, MonthQuery } from '../../../src/account/service-level/measure-month.ts';
import { rememberMonths } from '../../../src/account/service-level/remember-months.ts';

/** 15 seconds after it a minute more is recorded. */
const MINUTE = Date.UTC(2026, 1, 1) - 120_000;
const RECORDED = MINUTE + 15_000;

function open() {
  const asked: MonthQuery[] = [];
  let failure: Error | undefined;
  const measure = rememberMonths(async (query): Promise<MeasuredMonth> => {
    asked.push(query);
    if (failure !== undefined) throw failure;
    return { minutes: asked.length, planned: 0, unavailable: 0n, wholeMonth: 0 };
  });
  return {
    measure,
    asked,
    fail: (error: Error | undefined) => {
      failure = error;
    },
  };
}

test('a month of an account is measured once until the next minute is recorded', async () => {
  const { measure, asked } = open();
  for (const nowMs of [RECORDED, RECORDED + 30_000, RECORDED + 59_999])
    expect((await measure('a', nowMs)).minutes).toBe(1);
  expect((await measure('b', RECORDED)).minutes).toBe(2);
  expect((await measure('a', RECORDED + 60_000)).minutes).toBe(3);
  expect(asked).toHaveLength(3);
});

test('a new month is measured at once, before a minute of it is recorded', async () => {
  const { measure, asked } = open();
  await measure('a', MINUTE + 119_999);
  await measure('a', MINUTE + 120_000);
  expect(asked.map(({ month }) => month)).toEqual(['2026-01', '2026-02']);
});

test('a failure is not remembered', async () => {
  const { measure, fail } = open();
  fail(new Error('down'));
  await expect(measure('a', RECORDED)).rejects.toThrow('down');
  fail(undefined);
  expect((await measure('a', RECORDED)).minutes).toBe(2);
});
