import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { createDriftMetrics } from '../../src/gate/drift-metrics.ts';
import { createFailureLog } from '../../src/gate/failure-log.ts';
import { createMetrics } from '../../src/gate/metrics.ts';
import { createDriftGuard } from '../../src/ledger/drift/drift-guard.ts';
import { startNetworks } from '../../src/start-network.ts';
import { type ScriptedNode, startScriptedNode } from '../server/scripted-node.ts';
import { callOf, context } from './cache-by-hand.ts';

let node: ScriptedNode;

beforeEach(async () => {
  node = await startScriptedNode();
});

afterEach(() => node.close());

/** What a network that is configured so says of two calls each for what holds for ever and what holds for a slot. */
async function statusesOf(env: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const log = pino({ level: 'silent' });
  const metrics = createMetrics();
  const [network] = startNetworks(loadConfig({ env: { KEYSLOT_UPSTREAM_URL: node.url, ...env } }), {
    ...{ metrics, log },
    logFailure: createFailureLog(log, { nowMs: () => 0 }),
    driftGuard: createDriftGuard({
      samplesPerMinute: 0,
      ...{ metrics: createDriftMetrics(metrics.registry), log, nowMs: () => 0 },
    }),
  });
  const statuses = [];
  for (const method of ['getGenesisHash', 'getGenesisHash', 'getClusterNodes', 'getClusterNodes'])
    statuses.push((await network?.ledger.serve(callOf(method, 1), context))?.cacheStatus);
  await network?.hub.close();
  await network?.upstream.close();
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

test('cache.slot_ms is no more than a slot takes', () => {
  expect(loadConfig({ env: { KEYSLOT_CACHE_SLOT_MS: '400' } }).cache.slot_ms).toBe(400);
  expect(() => loadConfig({ env: { KEYSLOT_CACHE_SLOT_MS: '401' } })).toThrow('slot_ms');
});
