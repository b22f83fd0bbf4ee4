import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { createMeter, type Meter, type MeterOptions } from '../../../src/server/access/meter.ts';
import type { CountedRow } from '../../../src/server/access/usage-book.ts';

type Batch = readonly [number, readonly CountedRow[]];

/** A store that takes batches, or fails before or after it took one. */
function newStore() {
  const taken = new Map<number, readonly CountedRow[]>();
  const seen: Batch[] = [];
  const store = {
    mode: 'works' as 'works' | 'fails' | 'forgets to answer',
    calls: () => [...taken.values()].flat().reduce((sum, row) => sum + row.calls, 0),
    messages: () => [...taken.values()].flat().reduce((sum, row) => sum + row.messages, 0),
    rows: () => [...taken.values()].flat(),
    seen,
    write: async (number: number, rows: readonly CountedRow[]): Promise<void> => {
      seen.push([number, rows]);
      if (store.mode !== 'fails' && !taken.has(number)) taken.set(number, rows);
      if (store.mode !== 'works') throw new Error('connection lost');
    },
  };
  return store;
}

let lines: string[];
let lost: number;
const meters: Meter[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_760_000_000_000 });
  lines = [];
  lost = 0;
});
afterEach(async () => {
  for (const meter of meters.splice(0)) await meter.close();
  vi.useRealTimers();
});

function newMeter(options: Pick<MeterOptions, 'write'> & Partial<MeterOptions>): Meter {
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const meter = createMeter({
    clock: systemClock,
    log,
    onLost: (messages) => {
      lost += messages;
    },
    ...options,
  });
  meters.push(meter);
  return meter;
}

function count(meter: Meter, calls: number, method = 'm'): void {
  for (let call = 0; call < calls; call++)
    meter.count({ keyId: 'k', network: 'n', method, outcome: 'ok', weight: 1 });
}

test('served calls of a network are added up over all keys, those that failed apart; refused and pushed ones are not among them', () => {
  const meter = newMeter(newStore());
  const call = { keyId: 'k', network: 'n', method: 'm', weight: 1 } as const;
  for (const outcome of ['ok', 'error', 'callerError', 'refused'] as const) meter.count({ ...call, outcome });
  meter.count({ ...call, keyId: 'k2', calls: 3, outcome: 'error' });
  meter.count({ ...call, network: 'n2', outcome: 'ok' });
  meter.countPushed({ keyId: 'k', network: 'n', method: 'm', messages: 9 });
  expect([meter.totals('n'), meter.totals('n2'), meter.totals('n3')]).toEqual([
    { calls: 6, errors: 4 },
    { calls: 1, errors: 0 },
    { calls: 0, errors: 0 },
  ]);
});

test('counts are stored in bulk, every few seconds', async () => {
  const store = newStore();
  const meter = newMeter(store);
  count(meter, 1_000);
  expect(store.seen).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(store.seen).toMatchObject([[1, [{ calls: 1_000 }]]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(store.seen.length).toBe(1);
});

test('a flush stores what was counted before it, what is being stored meanwhile too', async () => {
  const store = newStore();
  const gate = Promise.withResolvers<void>();
  const meter = newMeter({ write: (number, rows) => gate.promise.then(() => store.write(number, rows)) });
  count(meter, 1);
  const first = meter.flush();
  count(meter, 2, 'other');
  const second = meter.flush();
  gate.resolve();
  await second;
  await first;
  expect([store.calls(), meter.unwritten()]).toEqual([3, 0]);
});

test.each(['fails', 'forgets to answer'] as const)(
  'nothing is lost and nothing is added twice while the store %s',
  async (mode) => {
    const store = newStore();
    const meter = newMeter(store);
    store.mode = mode;
    for (let minute = 0; minute < 3; minute++) {
      count(meter, 10);
      await vi.advanceTimersByTimeAsync(60_000);
    }
    await expect(meter.flush()).rejects.toThrow('connection lost');
    store.mode = 'works';
    count(meter, 10);
    await meter.flush();
    expect([store.calls(), meter.unwritten(), lost]).toEqual([40, 0, 0]);
    expect(lines.length).toBe(2);
    expect(lines.join()).toMatch(/cannot store usage;.*usage is stored again/s);
  },
);

test('a failure is told by its reason, without what was to be stored', async () => {
  const meter = newMeter({ write: (_number, rows) => Promise.reject(new Error('gone', { cause: rows })) });
  count(meter, 1, 'getSecret');
  await expect(meter.flush()).rejects.toThrow('gone');
  expect(lines.join()).toContain('"reason":"gone"');
  expect(lines.join()).not.toContain('getSecret');
});

test('while the store fails, a minute stays one row', async () => {
  const store = newStore();
  const meter = newMeter(store);
  store.mode = 'fails';
  for (let second = 0; second < 600; second++) {
    count(meter, 1);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(meter.unwritten()).toBeLessThanOrEqual(13);
});

test('memory is bounded while the store fails: what has no room is told and counted as lost', async () => {
  const store = newStore();
  const meter = newMeter({ ...store, maxRows: 100 });
  store.mode = 'fails';
  for (let method = 0; method < 50; method++) count(meter, 1, `m${method}`);
  await vi.advanceTimersByTimeAsync(5_000);
  for (let method = 0; method < 80; method++) count(meter, 1, `m${method}`);
  expect([meter.unwritten(), lost]).toEqual([100, 30]);
  expect(lines.filter((line) => line.includes('is not counted: too many')).length).toBe(1);
  store.mode = 'works';
});

test('very many rows are stored before their time, and in parts', async () => {
  const store = newStore();
  const meter = newMeter(store);
  for (let method = 0; method < 20_000; method++) count(meter, 1, `m${method}`);
  await vi.advanceTimersByTimeAsync(0);
  expect(store.seen.map(([number, rows]) => [number, rows.length])).toEqual([
    [1, 10_000],
    [2, 10_000],
  ]);
});

test('closing stores what is left', async () => {
  const store = newStore();
  const meter = newMeter(store);
  count(meter, 7);
  await meter.close();
  expect([store.calls(), vi.getTimerCount()]).toEqual([7, 0]);
});

test('closing while the store fails or hangs ends, and says how much is lost', async () => {
  const meter = newMeter({ write: () => new Promise(() => undefined) });
  count(meter, 7);
  const closed = meter.close();
  await vi.advanceTimersByTimeAsync(5_000);
  await closed;
  expect(lost).toBe(7);
  expect(lines.join()).toMatch(/"counts":7/);
});

test('a message that is pushed is an addition, handed on each second in the minute that it is then', async () => {
  const store = newStore();
  const meter = newMeter(store);
  const tally = meter.openTally('k', 'n');
  await vi.advanceTimersByTimeAsync(38_500);
  tally.add('slotSubscribe');
  tally.add('slotSubscribe');
  expect(meter.unwritten()).toBe(0);
  await vi.advanceTimersByTimeAsync(500);
  expect(meter.unwritten()).toBe(1);
  tally.add('slotSubscribe');
  await vi.advanceTimersByTimeAsync(1_000);
  await meter.flush();
  const [first, second] = store.rows();
  expect([first?.messages, second?.messages]).toEqual([2, 1]);
  expect(Number(second?.minuteMs) - Number(first?.minuteMs)).toBe(60_000);
});

test('a flush stores the messages of every connection so far, by key, network and method', async () => {
  const store = newStore();
  const meter = newMeter(store);
  const tallies = [meter.openTally('k', 'n'), meter.openTally('k', 'n'), meter.openTally('k2', 'n')];
  for (const tally of tallies) {
    tally.add('slotSubscribe');
    tally.add('rootSubscribe');
    tally.add('slotSubscribe');
  }
  await meter.flush();
  expect(store.rows().map(({ keyId, method, messages }) => [keyId, method, messages])).toEqual([
    ['k', 'slotSubscribe', 4],
    ['k', 'rootSubscribe', 2],
    ['k2', 'slotSubscribe', 2],
    ['k2', 'rootSubscribe', 1],
  ]);
  await meter.flush();
  expect(store.messages()).toBe(9);
});

test('the messages of a connection that is closed are counted, and it is forgotten', async () => {
  const store = newStore();
  const meter = newMeter(store);
  const tally = meter.openTally('k', 'n');
  tally.add('slotSubscribe');
  tally.close();
  expect(meter.unwritten()).toBe(1);
  await meter.flush();
  expect(store.messages()).toBe(1);
});

test('closing stores the messages of connections that are still open', async () => {
  const store = newStore();
  const meter = newMeter(store);
  meter.openTally('k', 'n').add('slotSubscribe');
  await meter.close();
  expect([store.messages(), vi.getTimerCount(), lost]).toEqual([1, 0, 0]);
});

test('closing while the store hangs says how many messages are lost', async () => {
  const meter = newMeter({ write: () => new Promise(() => undefined) });
  const tally = meter.openTally('k', 'n');
  tally.add('slotSubscribe');
  const closed = meter.close();
  tally.add('slotSubscribe');
  await vi.advanceTimersByTimeAsync(5_000);
  await closed;
  expect(lost).toBe(2);
});
