import { expect, onTestFinished, test } from 'vitest';
import { CallCounts, type Outcome } from '../../src/gate/call-counts.ts';
import { MetricsRegistry } from '../../src/gate/metrics-registry.ts';
import { RecentCallCounts } from '../../src/gate/recent-calls.ts';

const MINUTE_MS = 60_000;

function counted() {
  const counts = new CallCounts(new MetricsRegistry());
  let nowMs = 0;
  const recent = new RecentCallCounts({
    ...{ totals: (network) => counts.totals(network), networks: ['net'], nowMs: () => nowMs },
  });
  onTestFinished(() => recent.close());
  const end = (calls: number, durationMs: number, outcome: Outcome = 'ok') =>
    counts.end({ network: 'net', method: 'getSlot', outcome, calls, durationMs });
  const pass = (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      nowMs += MINUTE_MS;
      recent.sample();
    }
  };
  return { read: () => recent.read('net'), end, pass };
}

test('without calls there is no time that they take', () => {
  expect(counted().read()).toEqual({ seconds: 0, calls: 0, errors: 0, p99Ms: undefined });
});

test('99 of 100 calls took no longer than what is told', () => {
  const { read, end } = counted();
  end(99, 4);
  end(1, 900);
  expect(read()).toMatchObject({ calls: 100, p99Ms: 5 });
  end(1, 900);
  expect(read()).toMatchObject({ calls: 101, p99Ms: 1_000 });
});

test('of calls beyond the last bucket no time is told', () => {
  const { read, end } = counted();
  end(1, 31_000);
  expect(read()).toMatchObject({ calls: 1, p99Ms: undefined });
});

test('what this server or a node failed to answer is an error, an error that a node answers is not', () => {
  const { read, end } = counted();
  for (const outcome of ['ok', 'nodeError', 'cancelled', 'upstreamTimeout'] as const) end(1, 1, outcome);
  expect(read()).toMatchObject({ calls: 3, errors: 1 });
});

test('calls older than five minutes are left out', () => {
  const { read, end, pass } = counted();
  end(7, 900);
  pass(5);
  expect(read()).toMatchObject({ seconds: 300, calls: 7, p99Ms: 1_000 });
  end(2, 1);
  pass(1);
  expect(read()).toEqual({ seconds: 300, calls: 2, errors: 0, p99Ms: 1 });
});
