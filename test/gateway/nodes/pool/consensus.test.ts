import { expect, onTestFinished, test } from 'vitest';
import { ChainNode, chainSlot, OTHER_GENESIS, SLOT_MS } from '../../../lab/nodes/chain-node.ts';
import { joinNodes } from '../../../../src/gateway/nodes/network/ledger-nodes.ts';
import { POOL_DEFAULTS } from '../../../../src/gateway/nodes/pool/pool-settings.ts';
import { pass, startChainPool, useChainTime } from './chain-pool.ts';
import { memberOf } from './pool-of.ts';

useChainTime();

const MINUTE_MS = 60_000;
const TOWER = { kind: 'tower', slot: null };
const UNKNOWN = { kind: 'unknown', slot: null };

/** The number of times a pool has asked for the certificate: a node's `seen` leaves out the pool's own calls. */
function countAsked(node: ChainNode): () => number {
  let count = 0;
  const { send } = node;
  Object.assign(node, {
    send: (request: Parameters<typeof send>[0]) => {
      if (request.method === 'getAgGenesisCert') count++;
      return send(request);
    },
  });
  return () => count;
}

test('null is Tower BFT, and asked again each minute; −32601 of all nodes is unknown', async () => {
  const asked: (() => number)[] = [];
  const tower = await startChainPool({ prepare: (nodes) => asked.push(...nodes.map(countAsked)) });
  expect(tower.consensus()).toEqual(TOWER);
  expect(asked.map((count) => count())).toEqual([1, 1, 1]);
  await pass(5 * MINUTE_MS);
  for (const count of asked) expect(Math.abs(count() - 6)).toBeLessThanOrEqual(1);
  const old = await startChainPool({
    prepare: (nodes) => nodes.forEach((node) => void node.failing.set('getAgGenesisCert', -32_601)),
  });
  expect(old.consensus()).toEqual(UNKNOWN);
});

test('the certificate of one node decides, and a node that has sent it is not asked again', async () => {
  let asked = () => 0;
  const { consensus, standings, consensuses } = await startChainPool({
    prepare: (nodes) => {
      const [first, ...others] = nodes;
      for (const node of nodes) node.alpenglowFrom = 900_000;
      for (const node of others) node.failing.set('getAgGenesisCert', -32_601);
      if (first !== undefined) asked = countAsked(first);
    },
  });
  expect(consensus()).toEqual({ kind: 'alpenglow', slot: 900_000 });
  expect(consensuses.at(-1)).toBe('alpenglow 900000');
  await pass(5 * MINUTE_MS);
  expect(asked()).toBe(1);
  expect(standings()).toEqual(['healthy', 'healthy', 'healthy']);
});

test('a network that goes over to Alpenglow is seen to within five seconds, and no node is behind for it', async () => {
  const { nodes, consensus, standings, consensuses, changes } = await startChainPool();
  expect(consensus()).toEqual(TOWER);
  await pass(10_000);
  const from = chainSlot() + 5;
  for (const node of nodes) node.alpenglowFrom = from;
  await pass(5_000);
  expect(consensus()).toEqual({ kind: 'alpenglow', slot: from });
  await pass(MINUTE_MS);
  expect(standings()).toEqual(['healthy', 'healthy', 'healthy']);
  expect(changes).toEqual([]);
  expect(consensuses).toEqual(['tower null', `alpenglow ${from}`]);
});

test('a certificate of a node of another chain does not count, and one of another block is the fault of fewer nodes', async () => {
  const { consensus, statuses, nodes } = await startChainPool({
    nodes: 4,
    prepare: ([first, second, third, fourth]) => {
      if (first === undefined || second === undefined || third === undefined || fourth === undefined) return;
      first.alpenglowFrom = 700_000;
      for (const node of [second, third]) node.alpenglowFrom = 900_000;
      fourth.genesis = OTHER_GENESIS;
      fourth.alpenglowFrom = 500_000;
    },
  });
  await pass(2_000);
  expect(consensus()).toEqual({ kind: 'alpenglow', slot: 900_000 });
  expect(statuses().map(({ standing, reasons }) => [standing, reasons])).toEqual([
    ['degraded', ['has another Alpenglow certificate, of slot 700000']],
    ['healthy', []],
    ['healthy', []],
    ['foreign', [expect.stringContaining('another genesis hash')]],
  ]);
  expect(nodes).toHaveLength(4);
});

test('a lone node that begins another chain is asked again', async () => {
  const { nodes, consensus } = await startChainPool({
    nodes: 1,
    prepare: ([lone]) => {
      if (lone !== undefined) lone.alpenglowFrom = 900_000;
    },
  });
  expect(consensus()).toEqual({ kind: 'alpenglow', slot: 900_000 });
  const [lone] = nodes;
  if (lone === undefined) throw new Error('no node');
  lone.genesis = OTHER_GENESIS;
  lone.alpenglowFrom = undefined;
  await pass(2 * MINUTE_MS);
  expect(consensus()).toEqual(TOWER);
});

test('the certificate stays when the node that told it is taken away, until the nodes are of another chain', async () => {
  const [certified, silent, tower, other] = Array.from({ length: 4 }, () => new ChainNode());
  if (certified === undefined || silent === undefined || tower === undefined || other === undefined) return;
  certified.alpenglowFrom = 900_000;
  silent.failing.set('getAgGenesisCert', -32_601);
  other.genesis = OTHER_GENESIS;
  const members = [certified, silent, tower, other].map((upstream, index) => memberOf({ upstream }, index));
  const pool = joinNodes(members.slice(0, 2), { slotMs: () => SLOT_MS });
  pool.start();
  onTestFinished(() => pool.close());
  await pass(2_000);
  const alpenglow = { kind: 'alpenglow', slot: 900_000 };
  expect(pool.consensus()).toEqual(alpenglow);
  for (const kept of [members.slice(1, 2), members.slice(2, 3), members.slice(1, 3)]) {
    pool.replace(kept, POOL_DEFAULTS);
    expect(pool.consensus()).toEqual(alpenglow);
    await pass(2 * MINUTE_MS);
    expect(pool.consensus()).toEqual(alpenglow);
  }
  pool.replace(members.slice(3), POOL_DEFAULTS);
  await pass(2 * MINUTE_MS);
  expect(pool.consensus()).toEqual(TOWER);
  pool.replace(members.slice(1, 2), POOL_DEFAULTS);
  await pass(2 * MINUTE_MS);
  expect(pool.consensus()).toEqual(alpenglow);
});

test('a certificate of another chain is not kept, whenever it comes', async () => {
  const { nodes, consensus, consensuses } = await startChainPool();
  const [first] = nodes;
  if (first === undefined) throw new Error('no node');
  first.genesis = OTHER_GENESIS;
  first.alpenglowFrom = 700_000;
  await pass(3 * MINUTE_MS);
  expect(consensus()).toEqual(TOWER);
  expect(consensuses).toEqual(['tower null']);
});
