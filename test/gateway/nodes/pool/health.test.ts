import { expect, onTestFinished, test } from 'vitest';
import { ChainNode, OTHER_GENESIS, SLOT_MS } from '../../../lab/nodes/chain-node.ts';
import { NodePool } from '../../../../src/gateway/nodes/pool/node-pool.ts';
import { POOL_DEFAULTS } from '../../../../src/gateway/nodes/pool/pool-settings.ts';
import { createPoolNode } from '../../../../src/gateway/nodes/pool/pool-node.ts';
import { inTime, pass, startChainPool, useChainTime } from './chain-pool.ts';
import { memberOf } from './pool-of.ts';

useChainTime();

test('a node too far behind is left out with its lag in slots and in time, and comes back at half of the limit', async () => {
  const { nodes, standings, statuses, call, changes } = await startChainPool();
  const [, slow] = nodes;
  if (slow === undefined) throw new Error('no node');
  slow.lag = 26;
  await pass(1_500);
  expect(standings()).toEqual(['healthy', 'degraded', 'healthy']);
  expect(statuses()[1]).toMatchObject({ lagSlots: 26, lagMs: 5_200, reasons: ['behind by 26 slots, 5.2 s'] });
  for (let round = 0; round < 10; round++) await call('getBalance');
  expect(slow.asked('getBalance')).toBe(0);
  slow.lag = 20;
  await pass(1_500);
  expect(standings()[1]).toBe('degraded');
  slow.lag = 10;
  await pass(1_500);
  expect(standings()[1]).toBe('healthy');
  expect(changes.slice(-2)).toEqual(['node-2 degraded', 'node-2 healthy']);
});

test('a node whose finalized slot stands still is behind, whatever it has processed', async () => {
  const { nodes, standings } = await startChainPool();
  const [first] = nodes;
  if (first === undefined) throw new Error('no node');
  const slot = first.slot('finalized');
  const moving = first.slot.bind(first);
  first.slot = (commitment) => (commitment === 'finalized' ? slot : moving(commitment));
  await pass(7_000);
  expect(standings()).toEqual(['degraded', 'healthy', 'healthy']);
});

test('a lone node that answers and stands still is stale, and used all the same', async () => {
  const { nodes, statuses, call } = await startChainPool({ nodes: 1 });
  const [lone] = nodes;
  if (lone === undefined) throw new Error('no node');
  const moving = lone.slot.bind(lone);
  const slot = moving('processed');
  await pass(6_000);
  expect(statuses()[0]).toMatchObject({ standing: 'healthy', isStale: false });
  const still = moving('processed');
  expect(still).toBeGreaterThan(slot);
  lone.slot = (commitment) => still - (moving('processed') - moving(commitment));
  await pass(12_000);
  expect(statuses()[0]).toMatchObject({ standing: 'healthy', isStale: true });
  expect(statuses()[0]?.reasons).toEqual([expect.stringMatching(`^has stood at slot ${still} for \\d+ s$`)]);
  expect(await call('getBalance')).toBeTruthy();
  lone.slot = moving;
  await pass(6_000);
  expect(statuses()[0]).toMatchObject({ standing: 'healthy', isStale: false, reasons: [] });
});

test.each([
  { position: { isPaused: true, production: 'interval' }, says: 'paused' },
  { position: { isPaused: false, production: 'transaction' }, says: 'waiting for a transaction' },
])(
  'an embedded ledger that stands still as it was told is not stale, and says so: $says',
  async ({ position, says }) => {
    const { nodes, statuses } = await startChainPool({ nodes: 1 });
    const [lone] = nodes;
    if (lone === undefined) throw new Error('no node');
    const moving = lone.slot.bind(lone);
    await pass(6_000);
    const still = moving('processed');
    lone.position = position;
    lone.slot = (commitment) => still - (moving('processed') - moving(commitment));
    await pass(12_000);
    expect(statuses()[0]).toMatchObject({ standing: 'healthy', isStale: false });
    expect(statuses()[0]?.reasons).toEqual([expect.stringMatching(`^${says} at slot ${still} for \\d+ s$`)]);
    lone.slot = moving;
    await pass(6_000);
    expect(statuses()[0]).toMatchObject({ isStale: false, reasons: [] });
  },
);

test('a lone node whose shreds run ahead of what it has processed is stale', async () => {
  const { nodes, statuses } = await startChainPool({
    nodes: 1,
    prepare: ([lone]) => {
      if (lone !== undefined) lone.shredsAhead = 200;
    },
  });
  for (const laterMs of [6_000, 50_000]) {
    await pass(laterMs);
    expect(statuses()[0]).toMatchObject({ standing: 'healthy', isStale: true });
    expect(statuses()[0]?.reasons).toEqual(['has shreds of 200 slots that it has not processed']);
  }
  for (const node of nodes) node.shredsAhead = 3;
  await pass(65_000);
  expect(statuses()[0]).toMatchObject({ isStale: false, reasons: [] });
});

test('a node of another genesis is never asked, also if all others are gone', async () => {
  const { nodes, standings, statuses, call } = await startChainPool({
    prepare: ([, foreign]) => {
      if (foreign !== undefined) foreign.genesis = OTHER_GENESIS;
    },
  });
  expect(standings()).toEqual(['healthy', 'foreign', 'healthy']);
  expect(statuses()[1]?.reasons[0]).toContain(OTHER_GENESIS);
  for (let round = 0; round < 6; round++) await call('getBalance');
  for (const [index, node] of nodes.entries()) if (index !== 1) node.fault = 'refuses';
  await expect(inTime(call('getBalance'))).rejects.toMatchObject({ code: 'upstreamUnavailable' });
  expect(nodes[1]?.seen).toEqual([]);
});

test.each([false, true])(
  'nodes that no longer say their genesis hash keep it, so that one of another chain is not asked in their place (after a loss: %s)',
  async (isLost) => {
    const { nodes, standings, call } = await startChainPool({
      prepare: ([, foreign]) => {
        if (foreign !== undefined) foreign.genesis = OTHER_GENESIS;
      },
    });
    const own = nodes.filter((_, index) => index !== 1);
    if (isLost) for (const node of own) node.fault = 'refuses';
    await pass(2_000);
    for (const node of own) node.fault = 'internal';
    await pass(130_000);
    expect(standings()[1]).toBe('foreign');
    expect(await inTime(call('getBalance'))).toMatchObject({ code: -32603 });
    expect(nodes[1]?.seen).toEqual([]);
  },
);

test('with a genesis hash in the settings a lone node of another chain is not asked either', async () => {
  const { nodes, call } = await startChainPool({ nodes: 1, genesisHash: OTHER_GENESIS });
  await expect(call('getSlot')).rejects.toMatchObject({ code: 'upstreamUnavailable' });
  expect(nodes[0]?.seen).toEqual([]);
});

test('a node that comes back with another chain is not asked', async () => {
  const { nodes, call, standings } = await startChainPool();
  const [, lost] = nodes;
  if (lost === undefined) throw new Error('no node');
  lost.fault = 'refuses';
  await pass(1_500);
  lost.fault = undefined;
  lost.genesis = OTHER_GENESIS;
  lost.seen.length = 0;
  for (let round = 0; round < 30; round++) {
    await call('getBalance');
    await pass(100);
  }
  expect([lost.seen, standings()[1]]).toEqual([[], 'foreign']);
});

test('a node that went back counts as degraded for a minute, and says from where to where', async () => {
  const { nodes, standings, statuses } = await startChainPool();
  const [first] = nodes;
  if (first === undefined) throw new Error('no node');
  first.lag = 100;
  await pass(1_100);
  expect(statuses()[0]?.reasons.some((reason) => reason.startsWith('went back from slot'))).toBe(true);
  first.lag = 0;
  await pass(30_000);
  expect(standings()[0]).toBe('degraded');
  await pass(35_000);
  expect(standings()[0]).toBe('healthy');
});

test.each(['refuses', 'breaks', 'hangs'] as const)(
  'a node that %s is down, and healthy soon after it answers',
  async (fault) => {
    const { nodes, standings, changes } = await startChainPool();
    const [first] = nodes;
    if (first === undefined) throw new Error('no node');
    first.fault = fault;
    await pass(10_000);
    expect(standings()).toEqual(['down', 'healthy', 'healthy']);
    first.fault = undefined;
    await pass(3_100);
    expect(standings()[0]).toBe('healthy');
    expect(changes.at(-1)).toBe('node-1 healthy');
  },
);

test('a node that is slow to say its slot, or limits the rate of calls, is asked only in need', async () => {
  const { nodes, call, standings } = await startChainPool();
  const [first, second] = nodes;
  if (first === undefined || second === undefined) throw new Error('no node');
  first.delayMs = 1_200;
  await pass(3_000);
  expect(standings()[0]).toBe('degraded');
  second.fault = 'busy';
  for (let round = 0; round < 9; round++) await call('getBalance');
  expect([first.asked('getBalance'), second.asked('getBalance')]).toEqual([0, 1]);
});

test('probes cost three small calls a second at each node, and five more once a minute', async () => {
  const { nodes } = await startChainPool();
  const before = nodes[0]?.calls ?? 0;
  await pass(60_000);
  expect((nodes[0]?.calls ?? 0) - before).toBeLessThanOrEqual(3 * 60 + 5);
});

test('a node that leaves its WebSocket silent is probed at once, and is down after three times', async () => {
  const ignore = (): void => undefined;
  const pool = new NodePool({
    settings: POOL_DEFAULTS,
    slotMs: () => SLOT_MS,
    onChange: ignore,
    onFailover: ignore,
    onConsensus: ignore,
  });
  const hanging = new ChainNode();
  const node = createPoolNode(memberOf({ upstream: hanging }, 0));
  pool.replace([node]);
  pool.probes.start();
  onTestFinished(() => pool.close());
  await pass(100);
  const before = hanging.calls;
  hanging.fault = 'hangs';
  pool.noteSilence(node);
  expect(hanging.calls).toBeGreaterThan(before);
  for (let time = 0; time < 2; time++) pool.noteSilence(node);
  expect(node.verdict.standing).toBe('down');
});
