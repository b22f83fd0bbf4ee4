import { expect, test, vi } from 'vitest';
import { serviceError } from '../../../../src/core/service-error.ts';
import { type ChainNode, chainSlot, OTHER_GENESIS } from '../../../lab/nodes/chain-node.ts';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import { sendOnce } from '../../../../src/gateway/nodes/pool/node-pool.ts';
import { inTime, pass, startChainPool, useChainTime } from './chain-pool.ts';

useChainTime();

// Nodes that do some of what a node does.

const nodeOf = (nodes: readonly ChainNode[], index: number): ChainNode => {
  const node = nodes[index];
  if (node === undefined) throw new Error('no node');
  return node;
};

test('a node that answers everything with an error is down, and comes back', async () => {
  const { nodes, standings, statuses, call } = await startChainPool();
  const failing = nodeOf(nodes, 1);
  failing.fault = 'internal';
  await pass(4_000);
  expect(standings()).toEqual(['healthy', 'down', 'healthy']);
  expect(statuses()[1]?.reasons).toEqual(['failed: upstreamBroken']);
  for (let round = 0; round < 6; round++) expect(await call('sendTransaction', ['AQ=='])).toBe('signature');
  failing.fault = undefined;
  await pass(4_000);
  expect(standings()[1]).toBe('healthy');
});

test('a node that does not say its genesis hash is not asked while others of the network do, nor is one of another chain', async () => {
  const { nodes, standings, statuses, call, changes } = await startChainPool({
    prepare: (all) => {
      const silent = nodeOf(all, 1);
      silent.genesis = OTHER_GENESIS;
      silent.failing.set('getGenesisHash', -32601);
    },
  });
  await pass(2_000);
  expect(standings()).toEqual(['healthy', 'unverified', 'healthy']);
  expect(statuses()[1]?.reasons).toEqual(['does not report its genesis hash']);
  expect(changes.at(-1)).toBe('node-2 unverified');
  for (const index of [0, 2]) nodeOf(nodes, index).fault = 'refuses';
  await expect(inTime(call('getBalance'))).rejects.toMatchObject({ code: 'upstreamUnavailable' });
  expect(nodeOf(nodes, 1).seen).toEqual([]);
});

test('a node that fails to say its genesis hash when it is first asked is used as soon as it says it', async () => {
  const { nodes, call, standings } = await startChainPool({
    prepare: ([, failing]) => Object.assign(failing ?? {}, { fault: 'internal' }),
  });
  const failing = nodeOf(nodes, 1);
  await pass(2_000);
  expect(standings()[1]).not.toBe('healthy');
  failing.fault = undefined;
  await pass(2_100);
  expect(standings()).toEqual(['healthy', 'healthy', 'healthy']);
  for (let reads = 0; reads < 3; reads++) await call('getBalance');
  expect(failing.asked('getBalance')).toBe(1);
});

test('nodes of which none says its genesis hash are asked', async () => {
  const { standings } = await startChainPool({
    prepare: (all) => {
      for (const node of all) node.failing.set('getGenesisHash', -32601);
    },
  });
  await pass(2_000);
  expect(standings()).toEqual(['healthy', 'healthy', 'healthy']);
});

test.each([serviceError('upstreamBroken'), serviceError('upstreamTimeout', { limitMs: 2_000 }), -32601])(
  'a node that does not say how far back it goes is as sound as the others (%s)',
  async (failure) => {
    const { nodes, standings } = await startChainPool({
      prepare: (all) => nodeOf(all, 1).failing.set('minimumLedgerSlot', failure),
    });
    const node = nodeOf(nodes, 1);
    node.failing.set('getFirstAvailableBlock', failure);
    await pass(70_000);
    expect(standings()).toEqual(['healthy', 'healthy', 'healthy']);
  },
);

test('a transaction that a node does not read, as it is not healthy, goes to the next one', async () => {
  const { nodes, call } = await startChainPool();
  for (const index of [0, 1]) nodeOf(nodes, index).failing.set('sendTransaction', -32005);
  for (let round = 0; round < 3; round++) expect(await call('sendTransaction', ['AQ=='])).toBe('signature');
  nodeOf(nodes, 2).failing.set('sendTransaction', -32005);
  expect(await call('sendTransaction', ['AQ=='])).toMatchObject({ code: -32005 });
});

/** Lets a node hang on a method of clients, and answer everything else. @returns the reasons for which it was left. */
function hangOn(node: ChainNode, method: string): readonly unknown[] {
  const { send } = node;
  const left: unknown[] = [];
  Object.assign(node, {
    send: (request: Parameters<typeof send>[0]) => {
      if (request.method !== method) return send(request);
      return new Promise((_, reject) => {
        request.signal.onAbort((reason) => {
          left.push(reason);
          reject(reason);
        });
      });
    },
  });
  return left;
}

test('of nodes that get a transaction at once, one that hangs is left', async () => {
  const { nodes, call } = await startChainPool({ sendAtOnce: 2 });
  const left = hangOn(nodeOf(nodes, 0), 'sendTransaction');
  for (let sends = 1; sends <= 3; sends++) {
    expect(await call('sendTransaction', ['AQ=='])).toBe('signature');
    expect(left).toEqual([]);
  }
  await pass(6_000);
  expect(left.length).toBeGreaterThan(0);
});

test.each([
  ['refuses', 'breaks'],
  ['breaks', 'refuses'],
] as const)(
  'a transaction that one of two nodes may have is not said to be sent nowhere: %s, %s',
  async (...faults) => {
    const { nodes, call } = await startChainPool({ nodes: 2, sendAtOnce: 2 });
    for (const [index, fault] of faults.entries()) nodeOf(nodes, index).fault = fault;
    await expect(call('sendTransaction', ['AQ=='])).rejects.toMatchObject({ code: 'upstreamBroken' });
  },
);

test('a node that says its slot and hangs on light reads is asked only in need, and tried again later', async () => {
  const { nodes, call, standings, statuses } = await startChainPool({ nodes: 2, patienceMs: 500 });
  const [hung, sound] = [nodeOf(nodes, 0), nodeOf(nodes, 1)];
  hangOn(hung, 'getBalance');
  for (let reads = 0; reads < 12; reads++) await inTime(call('getBalance'));
  await pass(1_100);
  expect(standings()).toEqual(['degraded', 'healthy']);
  expect(statuses()[0]?.reasons).toEqual([
    expect.stringMatching(/^took too long for \d+ % of its latest reads$/),
  ]);
  const before = sound.asked('getBalance');
  for (let reads = 0; reads < 5; reads++) expect(await call('getBalance')).toHaveProperty('value');
  expect(sound.asked('getBalance')).toBe(before + 5);
  await pass(30_000);
  expect(standings()).toEqual(['healthy', 'healthy']);
});

test('what a sound node does not have is answered although the other one hangs', async () => {
  const { nodes, call, standings } = await startChainPool({ nodes: 2, patienceMs: 500 });
  const [hung, sound] = [nodeOf(nodes, 0), nodeOf(nodes, 1)];
  sound.failing.set('getBlock', -32007);
  hung.fault = 'hangs';
  for (let reads = 0; reads < 2; reads++) {
    const answer = call('getBlock', [5]);
    for (let passed = 0; passed < 31_000; passed += 500) await pass(500);
    expect(await answer).toMatchObject({ code: -32007 });
  }
  expect(standings()).toEqual(['down', 'healthy']);
  for (let reads = 0; reads < 4; reads++) expect(await call('getBlock', [5])).toMatchObject({ code: -32007 });
});

test('a node that has come back gets its share of the calls, not those that it missed', async () => {
  const { nodes, call, standings } = await startChainPool({ nodes: 2 });
  const [back, other] = [nodeOf(nodes, 0), nodeOf(nodes, 1)];
  back.lag = 500;
  await pass(2_000);
  expect(standings()).toEqual(['degraded', 'healthy']);
  for (let reads = 0; reads < 100; reads++) await call('getBalance');
  back.lag = 0;
  for (let passed = 0; passed < 62_000; passed += 1_000) await pass(1_000);
  expect(standings()).toEqual(['healthy', 'healthy']);
  const before = [back, other].map((node) => node.asked('getBalance'));
  for (let reads = 0; reads < 20; reads++) await call('getBalance');
  expect([back, other].map((node, index) => node.asked('getBalance') - (before[index] ?? 0))).toEqual([
    10, 10,
  ]);
});

test('a node whose long-term storage is slow to answer once is still the one with old history', async () => {
  const { nodes, call } = await startChainPool({
    nodes: 2,
    prepare: ([pruned]) => Object.assign(pruned ?? {}, { firstSlot: chainSlot() - 100 }),
  });
  const [pruned, archive] = [nodeOf(nodes, 0), nodeOf(nodes, 1)];
  archive.failing.set('getFirstAvailableBlock', serviceError('upstreamTimeout', { limitMs: 2_000 }));
  archive.firstSlot = chainSlot() - 100;
  for (let passed = 0; passed < 61_000; passed += 1_000) await pass(1_000);
  archive.firstSlot = 0;
  for (let reads = 0; reads < 4; reads++)
    expect(await call('getSignaturesForAddress', ['an address'], { oldestSlot: 0 })).toHaveLength(1_000);
  expect(pruned.asked('getSignaturesForAddress')).toBe(0);
});

test('a transaction whose client has left goes to no node, also where it would go to several', async () => {
  const signal = new CallSignal();
  signal.abort(new Error('the client left'));
  const pick = vi.fn(() => undefined);
  const request = { method: 'sendTransaction', body: Buffer.of(), id: '1', signal } as const;
  await expect(sendOnce(request, pick, 2)).rejects.toThrow('the client left');
  expect(pick).not.toHaveBeenCalled();
});
