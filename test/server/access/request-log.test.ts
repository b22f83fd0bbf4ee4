import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RequestRow } from '../../../src/account/requests/request-store.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { createRequestLog, type RequestLogOptions } from '../../../src/server/access/request-log.ts';

const NOW = Date.UTC(2026, 1, 3);

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

type Opened = Partial<RequestLogOptions> & { readonly failures?: number };

function open({ failures = 0, ...options }: Opened = {}) {
  const batches: (readonly [number, ...(readonly string[])])[] = [];
  const lines: string[] = [];
  let left = failures;
  const log = createRequestLog({
    rowsPerSecond: 3,
    errorsPerSecond: 2,
    totalPerSecond: 100,
    keepsParams: () => false,
    write: async (number, rows: readonly RequestRow[]) => {
      if (left-- > 0) throw new Error('down');
      batches.push([number, ...rows.map(({ accountId, method }) => `${accountId} ${method}`)]);
      return 0;
    },
    clock: systemClock,
    log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) }),
    ...options,
  });
  const end = (accountId: string, isError: boolean, times = 1): number => {
    let noted = 0;
    for (let time = 0; time < times; time++) {
      if (!log.wants(accountId, isError)) continue;
      noted++;
      const method = isError ? 'bad' : 'good';
      const mark = { id: 'req_1', protocol: 'json_rpc' } as const;
      log.note(accountId, mark, { method, callerKind: 'key', callerId: 'k' });
    }
    return noted;
  };
  return { ...log, end, batches, lines };
}

test('an account has so many rows a second, and its errors have a bound of their own', async () => {
  const { end, dropped, close } = open();
  expect([end('a', false, 10), end('a', true, 10), end('b', false, 10)]).toEqual([3, 2, 3]);
  expect(dropped).toMatchObject({ rate: 14, error_rate: 8 });
  vi.setSystemTime(NOW + 1_000);
  expect([end('a', false, 10), end('a', true, 1)]).toEqual([3, 1]);
  await close();
});

test('all accounts together have a bound', async () => {
  const { end, dropped, close } = open({ totalPerSecond: 5 });
  expect(['a', 'b', 'c'].map((id) => end(id, false, 3))).toEqual([3, 2, 0]);
  expect(dropped).toMatchObject({ rate: 0, total_rate: 4 });
  await close();
});

test('a bound of 0 keeps none', async () => {
  const { end, close } = open({ rowsPerSecond: 0 });
  expect([end('a', false, 3), end('a', true, 1)]).toEqual([0, 1]);
  await close();
});

test('rows are stored within a second', async () => {
  const { end, close, batches } = open();
  end('a', false);
  end('b', true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(batches).toEqual([[1, 'a good', 'b bad']]);
  end('a', false);
  await close();
  expect(batches[1]).toEqual([2, 'a good']);
});

test('while the store fails, rows wait up to a bound, and what exceeds it is counted', async () => {
  const { end, close, batches, dropped, waiting, lines } = open({
    failures: 2,
    maxWaiting: 2,
    rowsPerSecond: 9,
  });
  expect(end('a', false, 3)).toBe(2);
  expect([waiting(), dropped.waiting]).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(end('a', false)).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(batches).toEqual([[1, 'a good', 'a good']]);
  expect(waiting()).toBe(0);
  expect(end('a', false)).toBe(1);
  await close();
  expect(lines).toEqual([
    'cannot store the log of requests; it is kept in memory and retried',
    'the log of requests is stored again',
  ]);
});

test('rows that the store never accepts are counted and reported at the end', async () => {
  const { end, close, dropped, lines } = open({ failures: Number.POSITIVE_INFINITY });
  end('a', false, 2);
  await close();
  expect(dropped.store).toBe(2);
  expect(lines.at(-1)).toBe('the log lacks these requests: the store did not accept them in time');
});
