import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createNodeMetrics } from '../../../../src/gateway/nodes/network/node-metrics.ts';
import { readReadiness } from '../../../../src/serve/readiness.ts';
import { partsOf } from '../../../serve/readiness-parts.ts';
import { SLOT_MS } from '../../../lab/nodes/chain-node.ts';
import { type ChainPoolOptions, pass, startChainPool, useChainTime } from '../pool/chain-pool.ts';

useChainTime();

async function startMeasuredPool(options: ChainPoolOptions) {
  const pool = await startChainPool(options);
  const registry = new Registry();
  createNodeMetrics(registry).watch('chain', { ...pool, pace: { slotMs: SLOT_MS } });
  /** Returns the samples of a metric, without its name. */
  const read = async (name: string): Promise<readonly string[]> =>
    (await registry.getSingleMetricAsString(name))
      .split('\n')
      .filter((line) => line.startsWith(name))
      .map((line) => line.slice(name.length));
  return { ...pool, read };
}

test('keyslot_node_stale is 1 for a node that stands still or runs behind its shreds, and /readyz stays as it was', async () => {
  const {
    nodes: [lone],
    read,
    ...pool
  } = await startMeasuredPool({ nodes: 1 });
  if (lone === undefined) throw new Error('no node');
  const [network] = partsOf({}).networks;
  if (network === undefined) throw new Error('no network');
  const readReady = async () =>
    await readReadiness({ ...partsOf({}), networks: [{ ...network, nodes: pool }] });
  const expectStale = async (isStale: boolean): Promise<void> => {
    expect(await read('keyslot_node_stale')).toEqual([`{network="chain",node="node-1"} ${Number(isStale)}`]);
    expect(await read('keyslot_node_healthy')).toEqual(['{network="chain",node="node-1"} 1']);
    expect(await readReady()).toMatchObject({
      isReady: true,
      isDegraded: false,
      parts: { networks: [{ upstream: 'ready', nodes: [{ standing: 'healthy', is_stale: isStale }] }] },
    });
  };
  await pass(6_000);
  await expectStale(false);
  const moving = lone.slot.bind(lone);
  const still = moving('processed');
  lone.slot = (commitment) => still - (moving('processed') - moving(commitment));
  await pass(12_000);
  await expectStale(true);
  lone.slot = moving;
  await pass(6_000);
  await expectStale(false);
  lone.shredsAhead = 200;
  await pass(65_000);
  await expectStale(true);
});

test('keyslot_network_consensus names the consensus of the network, and that alone', async () => {
  const name = 'keyslot_network_consensus';
  const { nodes, read } = await startMeasuredPool({});
  expect(await read(name)).toEqual(['{network="chain",consensus="tower"} 1']);
  for (const node of nodes) node.alpenglowFrom = 900_000;
  await pass(65_000);
  expect(await read(name)).toEqual(['{network="chain",consensus="alpenglow"} 1']);
  const old = await startMeasuredPool({
    prepare: (each) => each.forEach((node) => void node.failing.set('getAgGenesisCert', -32_601)),
  });
  expect(await old.read(name)).toEqual(['{network="chain",consensus="unknown"} 1']);
});
