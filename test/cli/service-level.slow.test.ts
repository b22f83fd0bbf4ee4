import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFuture } from '../../src/cli/actions/action.ts';
import { readAction } from '../support/run-action.ts';
import { useCommands } from './use-commands.ts';

const { directory, run, json } = useCommands();

const HOUR_MS = 3_600_000;
const ANNOUNCE = ['planned-work', 'announce'];

/** An instant a number of hours from now, on a whole minute. */
const inHours = (hours: number): string =>
  `${new Date(Math.ceil(Date.now() / 60_000) * 60_000 + hours * HOUR_MS).toISOString().slice(0, 16)}Z`;

test('without a server too work is announced, listed and cancelled, and seen with the availability', async () => {
  await run('accounts', 'create', 'acme');
  const work = await json(...ANNOUNCE, '--from', inHours(48), '--for', '90m', '--note', 'A new disk');
  expect(work).toMatchObject({ minutes: 90, excluded_minutes: 90, note: 'A new disk' });
  const id = String((work as { readonly work_id: string }).work_id);
  const late = await run(...ANNOUNCE, '--from', '1h', '--for', '10m', '--note', 'Late');
  expect(late.stdout).toContain('They count towards availability: it was announced too late.\n');
  expect(await json('planned-work', 'list')).toMatchObject({
    planned_work: [{ note: 'Late', counts_because: 'announced_late' }, { work_id: id }],
  });
  for (const account of [[], ['acme']])
    expect(await json('availability', ...account)).toMatchObject({
      account: account[0] ?? null,
      target_percent: '99.9500',
      current: { availability_percent: '100.0000', minutes: 0 },
      planned_work: [{ note: 'Late' }, { work_id: id }],
    });
  const { stdout } = await run('planned-work', 'cancel', id);
  expect(stdout).toMatch(/^Cancelled the work at .* Its minutes count towards availability\.\n$/);
  expect((await run('planned-work', 'list')).stdout).toMatch(
    new RegExp(`${id}.*90 .*0 .*A new disk .*cancelled`),
  );
});

test.each([
  [['availability', 'acme'], 'There is no account acme', 1],
  [['planned-work', 'cancel', 'x'], 'There is no planned work with the id x', 1],
  [['planned-work', 'cancel', '4f8b1d0e-0000-4000-8000-000000000000'], 'There is no planned work', 1],
  [[...ANNOUNCE, '--from', 'soon', '--for', '1h', '--note', 'a'], '--from must be an instant', 2],
  [[...ANNOUNCE, '--from', '2d', '--note', 'a'], 'missing --for DURATION', 2],
  [[...ANNOUNCE, '--from', '2d', '--for', '1h'], '--note must have 1 to 200 printable characters', 2],
])('%j says why it failed, and makes no store', async (args, reason, code) => {
  const { end, stderr } = await run(...args);
  expect([end, stderr]).toEqual([`exit code ${code}`, expect.stringContaining(reason)]);
  expect(existsSync(join(directory(), 'store'))).toBe(false);
});

test.each([
  [['--from', '2020-01-31T12:00Z', '--for', '1h'], '--from must be in the future'],
  [['--from', '2d', '--for', '25h'], '--until must be at most 24 hours after the start'],
  [['--from', '2d', '--for', '90s'], '--until must be a whole minute'],
])('work with %j is refused', async (times, reason) => {
  const { end, stderr } = await run(...ANNOUNCE, ...times, '--note', 'a');
  expect([end, stderr]).toEqual(['exit code 2', expect.stringContaining(reason)]);
});

test('a time from now is the next whole minute, and an instant is taken as it is', () => {
  const nowMs = Date.UTC(2026, 0, 15, 9, 30, 1);
  expect(readFuture('from', '2h', nowMs)).toBe(Date.UTC(2026, 0, 15, 11, 31));
  expect(readFuture('from', '2026-01-17T02:00+01:00', nowMs)).toBe(Date.UTC(2026, 0, 17, 1));
});

test('the availability is shown with its budget, the months before and planned work', () => {
  const { describe } = readAction(['availability', 'acme']);
  const shown = describe({
    account: 'acme',
    target_percent: '99.9500',
    service_credits: [],
    current: {
      month: '2026-01',
      availability_percent: '99.9012',
      minutes: 20_950,
      unavailable_minutes: '20.7',
      planned_minutes: 60,
      credit_percent: 10,
    },
    error_budget: {
      allowed_minutes: '22.29',
      used_minutes: '20.7',
      left_minutes: '1.59',
      left_percent: '7.1332',
    },
    history: [
      {
        month: '2025-12',
        of: 'account',
        availability_percent: '99.8655',
        minutes: 44_640,
        unavailable_minutes: '60',
        credit_usd: '12.345679',
      },
    ],
    planned_work: [
      {
        work_id: 'w1',
        starts_at: '2026-01-17T02:00:00.000Z',
        ends_at: '2026-01-17T03:00:00.000Z',
        note: 'A new disk',
        announced_at: '2026-01-15T02:00:00.000Z',
        minutes: 60,
        excluded_minutes: 20,
        counts_because: 'allowance_used',
      },
    ],
  });
  expect(
    shown,
  ).toBe(`Availability of the wallet service for acme in 2026-01 so far: 99.9012 % (target 99.9500 %)
  20.7 of 20950 minutes unavailable, 60 minutes of planned work not counted
  error budget: 1.59 of 22.29 minutes left (7.1332 %)
  if the month ended now, 10 % of its charges would be refunded

MONTH    OF       AVAILABLE %  MINUTES  UNAVAILABLE  CREDIT USD
2025-12  account      99.8655    44640           60   12.345679

ID  BEGINS             MINUTES  NOT COUNTED  NOTE        STATE
w1  2026-01-17T02:00Z       60           20  A new disk  allowance used
`);
});
