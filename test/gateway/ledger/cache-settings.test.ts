import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../../src/core/config/load-config.ts';
import { createDriftMetrics } from '../../../src/gateway/ledger/drift/drift-metrics.ts';
import { createFailureLog } from '../../../src/server/access/failure-log.ts';
import { createMetrics } from '../../../src/server/access/metrics.ts';
import { createDriftGuard } from '../../../src/gateway/ledger/drift/drift-guard.ts';
import { startNetworks } from '../../../src/serve/start-network.ts';
import { type ScriptedNode, startScriptedNode } from '../../server/scripted-node.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { callOf, context } from './cache-by-hand.ts';

let node: ScriptedNode;

beforeEach(async () => {
  node = await startScriptedNode();
});

afterEach(() => node.close());

/** The cache statuses of a network with these settings: of two calls each for an immutable answer and one that holds for a slot. */
async function statusesOf(
  env: Readonly<Record<string, string>>,
  slotMs?: number,
): Promise<readonly unknown[]> {
  if (slotMs !== undefined)
    node.ownAnswers.getRecentPerformanceSamples = [{ numSlots: 1, samplePeriodSecs: slotMs / 1_000 }];
  const log = pino({ level: 'silent' });
  const metrics = createMetrics();
  const [network] = startNetworks(loadConfig({ env: { KEYSLOT_UPSTREAM_URL: node.url, ...env } }), {
    metrics,
    log,
    logFailure: createFailureLog(log, { nowMs: () => 0 }),
    driftGuard: createDriftGuard({
      samplesPerMinute: 0,
      metrics: createDriftMetrics(metrics.registry),
      log,
      nowMs: () => 0,
    }),
  });
  if (network !== undefined && slotMs !== undefined)
    await eventually('the pace is known', () => network.pace.slotMs === slotMs || undefined);
  const plan = { name: 'plan', requestsPerSecond: 100, burst: 100 };
  const ledger = network?.openLedger({
    count: () => undefined,
    planOf: () => plan,
    onRefusal: () => undefined,
    callRulesOf: () => undefined,
  });
  const statuses = [];
  for (const method of ['getGenesisHash', 'getGenesisHash', 'getClusterNodes', 'getClusterNodes'])
    statuses.push((await ledger?.serve(callOf(method, 1), context))?.cacheStatus);
  await network?.hub.close();
  await network?.close();
  return statuses;
}

test('cache.max_bytes 0 turns all of it off', async () => {
  expect(await statusesOf({ KEYSLOT_CACHE_MAX_BYTES: '0' })).toEqual(Array(4).fill(undefined));
  expect(node.seen).toHaveLength(4);
});

test('cache.slot_ms 0 leaves what holds for ever', async () => {
  const statuses = await statusesOf({ KEYSLOT_CACHE_SLOT_MS: '0' });
  expect(statuses).toEqual(['fwd=miss; stored', 'hit', 'fwd=miss', 'fwd=miss']);
});

test('without a pace, nothing that may be a slot old is kept', async () => {
  expect(await statusesOf({})).toEqual(['fwd=miss; stored', 'hit', 'fwd=miss', 'fwd=miss']);
});

test.each([{}, { KEYSLOT_CACHE_SLOT_MS: '60000' }])(
  '%o: what may be a slot old is kept for a slot as it is measured',
  async (env) => {
    expect(await statusesOf(env, 30_000)).toEqual(['fwd=miss; stored', 'hit', 'fwd=miss; stored', 'hit']);
  },
);

test('for less, where cache.slot_ms is less', async () => {
  expect(await statusesOf({ KEYSLOT_CACHE_SLOT_MS: '0' }, 30_000)).toEqual([
    ...['fwd=miss; stored', 'hit'],
    ...['fwd=miss', 'fwd=miss'],
  ]);
});
