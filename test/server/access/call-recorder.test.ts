import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { CallCounts, type Outcome } from '../../../src/server/access/call-counts.ts';
import {
  type CallRecorder,
  createCallRecorder,
  type RecordedCalls,
} from '../../../src/server/access/call-recorder.ts';
import { MetricsRegistry } from '../../../src/core/metrics-registry.ts';

const MINUTE_MS = 60_000;
/** The beginning of five minutes. */
const START = Date.UTC(2026, 0, 15, 9, 30);

const NONE = { calls: 0, errors: 0 };

let lines: string[];
const recorders: CallRecorder[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  lines = [];
});
afterEach(async () => {
  for (const recorder of recorders.splice(0)) await recorder.close();
  vi.useRealTimers();
});

/** A store that takes batches, or fails before or after it took one. */
function open({ networks = ['net'], maxRows }: { networks?: string[]; maxRows?: number } = {}) {
  const counts = new CallCounts(new MetricsRegistry());
  const served = new Map<string, { readonly calls: number; readonly errors: number }>();
  const taken = new Map<number, readonly RecordedCalls[]>();
  const store = { mode: 'works' as 'works' | 'fails' | 'forgets to answer', asked: 0 };
  const recorder = createCallRecorder({
    totals: (network) => ({ ...(served.get(network) ?? NONE), durations: counts.durations(network) }),
    write: async (number, rows) => {
      store.asked += 1;
      if (store.mode !== 'fails' && !taken.has(number)) taken.set(number, rows);
      if (store.mode !== 'works') throw new Error('connection lost');
    },
    clock: systemClock,
    log: pino({ base: null }, { write: (line: string) => void lines.push(line) }),
    networks,
    ...(maxRows !== undefined && { maxRows }),
  });
  recorders.push(recorder);
  const end = (calls: number, { durationMs = 1, outcome = 'ok' as Outcome, network = 'net' } = {}) => {
    const before = served.get(network) ?? NONE;
    const errors = outcome === 'ok' ? before.errors : before.errors + calls;
    if (outcome !== 'cancelled') served.set(network, { calls: before.calls + calls, errors });
    counts.end({ network, method: 'getSlot', outcome, calls, durationMs });
  };
  const rows = () => [...taken.values()].flat();
  const recorded = () => rows().reduce((sum, { calls }) => sum + calls, 0);
  return { recorder, store, end, rows, recorded };
}

test('once a minute the calls that ended since are stored, with the five minutes of then', async () => {
  const { end, rows } = open();
  end(3);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  end(2, { durationMs: 4 });
  end(1, { outcome: 'upstreamTimeout', durationMs: 40_000 });
  await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);
  end(1);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  const shown = rows().map(({ startMs, durations, ...row }) => ({
    ...row,
    minutes: (startMs - START) / MINUTE_MS,
    durations: durations.map(Number).join(''),
  }));
  expect(shown).toEqual([
    { network: 'net', minutes: 0, calls: 3, errors: 0, durations: '300000000000000' },
    { network: 'net', minutes: 0, calls: 3, errors: 1, durations: '002000000000001' },
    { network: 'net', minutes: 5, calls: 1, errors: 0, durations: '100000000000000' },
  ]);
});

test('a network without calls is stored once, so that it is known from when on there were none', async () => {
  const { end, rows, store } = open({ networks: ['idle', 'net'] });
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
  expect(rows()).toMatchObject([
    { network: 'idle', startMs: START, calls: 0 },
    { network: 'net', startMs: START, calls: 0 },
  ]);
  expect(store.asked).toBe(1);
  end(1);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(rows().map(({ network }) => network)).toEqual(['idle', 'net', 'net']);
});

test('a time without a counted call is stored as well', async () => {
  const { end, rows, recorder } = open();
  await recorder.flush();
  end(1, { outcome: 'cancelled', durationMs: 40_000 });
  await recorder.flush();
  expect(rows()[1]).toMatchObject({ calls: 0, errors: 0 });
  expect(rows()[1]?.durations.at(-1)).toBe(1);
});

test.each(['fails', 'forgets to answer'] as const)(
  'nothing is lost and nothing is added twice while the store %s',
  async (mode) => {
    const { end, recorded, recorder, store } = open();
    store.mode = mode;
    for (let minute = 0; minute < 7; minute += 1) {
      end(10);
      await vi.advanceTimersByTimeAsync(MINUTE_MS);
    }
    await expect(recorder.flush()).rejects.toThrow('connection lost');
    store.mode = 'works';
    await recorder.flush();
    expect(recorded()).toBe(70);
    expect(lines.join()).toMatch(/cannot store the record of calls;.*is stored again/s);
    expect(lines.length).toBe(2);
  },
);

test('memory is bounded while the store fails: what has no room stays in the counts, and is stored later', async () => {
  const { end, recorded, rows, recorder, store } = open({ networks: ['a', 'b'], maxRows: 4 });
  store.mode = 'fails';
  for (let minute = 0; minute < 60; minute += 1) {
    end(1, { network: 'a' });
    end(1, { network: 'b' });
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
  }
  store.mode = 'works';
  await recorder.flush();
  expect([recorded(), rows().length]).toEqual([120, 4]);
});

test('at the end what is left is stored; what the store does not take in time is logged', async () => {
  const sound = open();
  sound.end(7);
  await sound.recorder.close();
  await sound.recorder.close();
  expect([sound.recorded(), lines]).toEqual([7, []]);
  const { end, recorder, store } = open();
  store.mode = 'fails';
  end(7);
  await recorder.close();
  expect(lines.join()).toMatch(/"calls":7.*record of these calls was lost/s);
  expect(vi.getTimerCount()).toBe(0);
});
