import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { CallCounts } from '../../../src/server/access/call-counts.ts';
import { MetricsRegistry } from '../../../src/core/metrics-registry.ts';

const NAME = 'keyslot_rpc_duration_seconds';
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

test('the times of calls are printed as the library prints a histogram', async () => {
  const [own, theirs] = [new MetricsRegistry(), new Registry()];
  const counts = new CallCounts(own);
  const histogram = new Histogram({
    name: NAME,
    help: 'Time from a call to its reply, or to the first byte of a large one; calls of a batch that are sent together count the time of all',
    labelNames: ['network', 'method'],
    buckets: BUCKETS_S,
    registers: [theirs],
  });
  const durationsMs = [0, 0.5, 1, 1.000001, 2.5, 7, 30_000, 30_001, 1e9];
  for (const [index, durationMs] of durationsMs.entries()) {
    const labels = { network: 'solana-localnet', method: index % 3 === 0 ? 'getSlot' : 'getBalance' };
    counts.start(labels.network, 1);
    counts.end({ ...labels, outcome: 'ok', calls: 1, durationMs });
    histogram.observe(labels, durationMs / 1000);
  }
  const lines = async (registry: Registry) =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.includes(NAME))
      .sort();
  expect(await lines(own)).toHaveLength(2 + 2 * (BUCKETS_S.length + 3));
  expect(await lines(own)).toEqual(await lines(theirs));
});

test('calls are counted by outcome, and those under way', async () => {
  const registry = new MetricsRegistry();
  const counts = new CallCounts(registry);
  for (const outcome of ['ok', 'ok', 'nodeError'] as const) {
    counts.start('n', 1);
    counts.end({ network: 'n', method: 'getSlot', outcome, calls: 1, durationMs: 1 });
  }
  counts.start('n', 1);
  const text = await registry.metrics();
  expect(text).toContain('keyslot_rpc_in_flight{network="n"} 1');
  expect(text).toContain('keyslot_rpc_calls_total{network="n",method="getSlot",outcome="ok"} 2');
  expect(text).toContain('keyslot_rpc_calls_total{network="n",method="getSlot",outcome="nodeError"} 1');
});
