import { expect, test, vi } from 'vitest';
import { serviceError } from '../../../src/base/service-error.ts';
import { type ChainNode, OTHER_GENESIS } from '../../../src/lab/nodes/chain-node.ts';
import { CallSignal } from '../../../src/rpc/call-signal.ts';
import { sendOnce } from '../../../src/upstream/pool/send-once.ts';
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
  expect(statuses()[1]?.reasons).toEqual(['does not say its genesis hash']);
  expect(changes.at(-1)).toBe('node-2 unverified');
  for (const index of [0, 2]) nodeOf(nodes, index).fault = 'refuses';
  await expect(inTime(call('getBalance'))).rejects.toMatchObject({ code: 'upstreamUnavailable' });
  expect(nodeOf(nodes, 1).seen).toEqual([]);
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

test('of nodes that get a transaction at once, one that hangs is left', async () => {
  const { nodes, call } = await startChainPool({ sendAtOnce: 2 });
  const hung = nodeOf(nodes, 0);
  let left = 0;
  const { send } = hung;
  Object.assign(hung, {
    send: (request: Parameters<typeof send>[0]) => {
      if (request.method !== 'sendTransaction') return send(request);
      return new Promise((_, reject) => {
        request.signal.onAbort((reason) => {
          left++;
          reject(reason);
        });
      });
    },
  });
  for (let sends = 1; sends <= 3; sends++) {
    expect(await call('sendTransaction', ['AQ=='])).toBe('signature');
    expect(left).toBe(0);
  }
  await pass(6_000);
  expect(left).toBeGreaterThan(0);
});

test('a transaction whose client has left goes to no node, also where it would go to several', async () => {
  const signal = new CallSignal();
  signal.abort(new Error('the client left'));
  const pick = vi.fn(() => undefined);
  const request = { method: 'sendTransaction', body: Buffer.of(), id: '1', signal } as const;
  await expect(sendOnce(request, pick, 2)).rejects.toThrow('the client left');
  expect(pick).not.toHaveBeenCalled();
});
