import { describe, expect, test } from 'vitest';
import { exportRows } from '../../src/dashboard/parts/export-rows.ts';
import { printCsv } from '../../src/dashboard/parts/csv.ts';
import { microOf } from '../../src/dashboard/parts/format-number.ts';
import type { Webhook } from '../../generated/account/types.ts';
import { findAttention } from '../../src/dashboard/pages/overview/attention.ts';
import type { OverviewFacts } from '../../src/dashboard/pages/overview/attention-facts.ts';
import { addPoint } from '../../src/dashboard/pages/overview/live-points.ts';
import { ownCalls, printP99 } from '../../src/dashboard/pages/overview/own-calls.ts';
import { groupName } from '../../src/dashboard/pages/usage/group-name.ts';
import { spanBetween, spanOf, unitFor } from '../../src/dashboard/pages/usage/span.ts';
import { toTimeSeries } from '../../src/dashboard/pages/usage/time-series.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 30);
const SOUND: OverviewFacts = { session: { has_second_factor: true, backup_codes_left: 8 }, nowMs: NOW };
const idsOf = (own: Partial<OverviewFacts>) => findAttention({ ...SOUND, ...own }).map(({ id }) => id);

describe('what needs attention', () => {
  test('nothing, where all is well or not known', () => {
    expect(idsOf({})).toEqual([]);
    expect(idsOf({ refused: 0, openRequests: 0, keys: [], tokens: [], networks: [] })).toEqual([]);
    expect(idsOf({ accountsInNeed: 0, invoices: [] })).toEqual([]);
  });

  test('a webhook that fails or has stopped by itself, not one that a member turned off', () => {
    const webhook = {
      webhook_id: 'w',
      name: 'billing',
      url: 'https://hooks.example',
      events: [],
      ordered: false,
      position: 1,
      waiting: 0,
      created_at: '2026-01-22T09:30:00.000Z',
    };
    const found = (more: Partial<Webhook>) => idsOf({ webhooks: [{ ...webhook, state: 'active', ...more }] });
    expect(found({})).toEqual([]);
    expect(found({ state: 'turned_off', failing_since: webhook.created_at })).toEqual([]);
    expect(found({ failing_since: webhook.created_at })).toEqual(['w']);
    expect(found({ state: 'gone' })).toEqual(['w']);
    expect(found({ state: 'exhausted' })).toEqual(['w']);
  });

  test('few backup codes of a second factor; that there is none is a first step', () => {
    expect(idsOf({ session: { has_second_factor: false, backup_codes_left: 0 } })).toEqual([]);
    expect(idsOf({ session: { has_second_factor: true, backup_codes_left: 2 } })).toEqual(['codes']);
    expect(idsOf({ session: { has_second_factor: true, backup_codes_left: 3 } })).toEqual([]);
  });

  test('keys and tokens that stop working within 14 days', () => {
    const token = (days: number, state: 'active' | 'revoked' = 'active') => ({
      token_id: 't',
      name: 't',
      prefix: 'ks',
      scopes: [],
      state,
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: new Date(NOW + days * 86_400_000).toISOString(),
    });
    expect(idsOf({ tokens: [token(13), token(13)] })).toEqual(['access token']);
    expect(idsOf({ tokens: [token(15), token(-1), token(13, 'revoked')] })).toEqual([]);
  });

  test('the urgent first', () => {
    const network = {
      name: 'solana',
      environment: 'mainnet',
      rpc_path: '/m',
      nodes: 1,
      reachable_nodes: 0,
      versions: [],
      spans: [],
    };
    const networks = [{ ...network, state: 'unavailable' as const, consensus: 'unknown' as const }];
    const facts = { networks, refused: 1, openRequests: 2, accountsInNeed: 1 };
    expect(idsOf(facts)).toEqual(['/m', 'refused', 'requests', 'accounts']);
  });
});

test('p99 is printed as the bound that it is, in ms or s, and as nothing where no call was timed', () => {
  const printed = [5, 500, 1_000, 2_500, 30_000].map((p99_ms) => printP99({ p99_ms }).replace('\u00a0', ' '));
  expect(printed).toEqual(['5 ms', '500 ms', '1 s', '2.5 s', '30 s'].map((bound) => `at most ${bound}`));
  expect([printP99({ p99_above_ms: 30_000 }), printP99({})]).toEqual(['over 30\u00a0s', '–']);
});

test('live points are what was added since the point before, the newest twelve', () => {
  const rows = (calls: number) => [
    { calls, errors: 1, refused: 0 },
    { calls: 1, errors: 0, refused: 2 },
  ];
  const first = addPoint([], rows(9), 1);
  expect(first).toEqual([{ atMs: 1, total: [10, 1, 2], added: [0, 0, 0] }]);
  expect(addPoint(first, rows(14), 2).at(-1)).toEqual({ atMs: 2, total: [15, 1, 2], added: [5, 0, 0] });
  let points = first;
  for (let at = 2; at <= 20; at += 1) points = addPoint(points, rows(9), at);
  expect([points.length, points[0]?.atMs]).toEqual([12, 9]);
});

test("the account's calls of a span are those on all networks together", () => {
  const own = { calls: 2, errors: 1, caller_errors: 4, refused: 3 };
  const since = '2026-01-15T09:00:00.000Z';
  const spans = (['hour', 'day'] as const).map((span) => ({ span, since, calls: 9, errors: 9, own }));
  expect(ownCalls([{ spans }, { spans }], 'day')).toEqual({
    calls: 4,
    errors: 2,
    caller_errors: 8,
    refused: 6,
  });
  expect(ownCalls(undefined, 'day')).toBeUndefined();
});

test('amounts are read exactly', () => {
  expect(['25.00', '-0.0001', '90071992547409.930001'].map(microOf)).toEqual([
    25_000_000n,
    -100n,
    90_071_992_547_409_930_001n,
  ]);
  expect(() => microOf('1e3')).toThrow(TypeError);
});

test('CSV keeps commas, quotes and line ends, and a spreadsheet takes no text for a formula', () => {
  expect(
    printCsv([
      ['a,b', 'say "hi"', 'x\ny', 3, undefined],
      ['=1+1', '-0.0001', '-x', '@a', ''],
    ]),
  ).toBe('"a,b","say ""hi""","x\ny",3,\r\n\'=1+1,-0.0001,\'-x,\'@a,\r\n');
});

describe('files of lists', () => {
  const pages = async function* (fail = false): AsyncGenerator<{ readonly rows: readonly object[] }> {
    yield {
      rows: [
        { a: 1, b: 'x' },
        { b: 'y', c: 'not in the head' },
      ],
    };
    if (fail) throw new Error('the connection broke');
    yield { rows: [{ a: 3 }] };
  };
  const fileOf = (written: string[], ends: string[]) => ({
    write: async (text: string) => void written.push(text),
    close: async () => void ends.push('closed'),
    abort: async () => void ends.push('aborted'),
  });
  const save = (format: 'csv' | 'jsonl', fail = false) => {
    const [written, ends, counts]: [string[], string[], number[]] = [[], [], []];
    const done = exportRows<{ readonly rows: readonly object[] }>(fileOf(written, ends), {
      pages: pages(fail),
      rowsOf: ({ rows }) => rows,
      head: ['a', 'b'],
      format,
      onRows: (count) => counts.push(count),
    });
    return { done, written, ends, counts };
  };

  test('have every row of every page, and say how many', async () => {
    const csv = save('csv');
    await csv.done;
    expect([csv.written.join(''), csv.ends, csv.counts]).toEqual([
      'a,b\r\n1,x\r\n,y\r\n3,\r\n',
      ['closed'],
      [2, 3],
    ]);
    const jsonl = save('jsonl');
    await jsonl.done;
    expect(jsonl.written.join('').split('\n')[1]).toBe('{"b":"y","c":"not in the head"}');
  });

  test('are not left behind half', async () => {
    const { done, ends } = save('csv', true);
    await expect(done).rejects.toThrow('the connection broke');
    expect(ends).toEqual(['aborted']);
  });
});

test('the unit of a chart is the smallest that shows every point', () => {
  expect([3_600_000, 86_400_000, 604_800_000, 2_592_000_000].map(unitFor)).toEqual([
    'minute',
    'hour',
    'hour',
    'day',
  ]);
  expect(spanOf('hour', NOW)).toEqual({ since: '2026-01-15T08:30:00.000Z', unit: 'minute' });
  expect(spanBetween('2026-01-02T00:00', '2026-01-01T00:00')).toBeUndefined();
  expect(spanBetween('2026-01-01T00:00', '')).toBeUndefined();
});

test('units without calls are 0, and the last one is the one of now', () => {
  const rows = [{ group: '2026-01-15T08:00:00Z', calls: 7 }];
  const span = { since: '2026-01-15T07:10:00.000Z', unit: 'hour' } as const;
  const series = toTimeSeries(rows, span, { nowMs: NOW, width: 1, valuesOf: ({ calls }) => [calls] });
  expect(series.times.map((seconds) => new Date(seconds * 1_000).toISOString().slice(11, 13))).toEqual([
    '07',
    '08',
    '09',
  ]);
  expect(series.values).toEqual([[0, 7, 0]]);
});

test('groups have names: of keys, tokens and times', () => {
  expect(groupName({ group: '2026-01-15T08:00:00Z' }, 'hour')).toBe('2026-01-15 08:00');
  for (const by of ['day', 'day_operation'])
    expect(groupName({ group: '2026-01-15T00:00:00Z' }, by)).toBe('2026-01-15');
  expect(groupName({ group: 'id', key_name: 'checkout' }, 'key')).toBe('checkout');
  expect(groupName({ group: '3f0c1a52-7a3e-4c1b-9f0e-2b6d6a8c9e11' }, 'token')).toBe('3f0c1a52…');
  expect(groupName({ group: 'getSlot' }, 'method')).toBe('getSlot');
});
