import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import {
  type CountedMinute,
  createWalletRequestCounts,
} from '../../../src/server/access/wallet-request-counts.ts';

const MINUTE = Date.UTC(2026, 1, 3, 4, 5);

beforeEach(() => void vi.useFakeTimers({ now: MINUTE + 59_000 }));
afterEach(() => void vi.useRealTimers());

function open({ maxRows, failures = 0 }: { readonly maxRows?: number; readonly failures?: number } = {}) {
  const batches: (readonly [number, ...(readonly string[])])[] = [];
  const lines: string[] = [];
  let left = failures;
  const counts = createWalletRequestCounts({
    write: async (number, rows: readonly CountedMinute[]) => {
      if (left-- > 0) throw new Error('down');
      const printed = rows.map(
        ({ minuteMs, accountId, requests, failed }) =>
          `${(minuteMs - MINUTE) / 60_000} ${accountId} ${requests} ${failed}`,
      );
      batches.push([number, ...printed]);
    },
    clock: systemClock,
    log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) }),
    ...(maxRows === undefined ? {} : { maxRows }),
  });
  return { ...counts, batches, lines };
}

test('requests are added up by account and minute, and stored after five seconds', async () => {
  const { count, close, batches } = open();
  count('a', false);
  count('a', true);
  count('b', false);
  vi.setSystemTime(MINUTE + 60_000);
  count('a', false);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(batches).toEqual([[1, '0 a 2 1', '0 b 1 0', '1 a 1 0']]);
  count('a', false);
  await close();
  expect(batches[1]).toEqual([2, '1 a 1 0']);
  expect(vi.getTimerCount()).toBe(0);
});

test('while the store fails, a batch is sent again with its number', async () => {
  const { count, close, batches, lines } = open({ failures: 2 });
  count('a', true);
  await vi.advanceTimersByTimeAsync(10_000);
  count('a', true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(batches).toEqual([
    [1, '0 a 1 1'],
    [2, '1 a 1 1'],
  ]);
  expect(lines).toEqual([
    'cannot store the count of wallet requests; it is kept in memory and retried',
    'the count of wallet requests is stored again',
  ]);
  await close();
});

test('a limited number of rows waits for the store; requests beyond them are not counted, which is logged', async () => {
  const { count, close, batches, lines } = open({ maxRows: 2 });
  for (const account of ['a', 'b', 'c', 'd', 'a']) count(account, false);
  await close();
  expect(batches).toEqual([[1, '0 a 2 0', '0 b 1 0']]);
  expect(lines).toEqual([
    'wallet requests are not counted: too many counts are waiting for the store',
    'counts of these wallet requests were lost: the store did not accept them in time',
  ]);
});
