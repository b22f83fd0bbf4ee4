import { expect, test } from 'vitest';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import { chainSlot, type ChainNode } from '../../../lab/nodes/chain-node.ts';
import { POOL_DEFAULTS } from '../../../../src/gateway/nodes/pool/pool-settings.ts';
import type { UpstreamRequest } from '../../../../src/gateway/nodes/upstream.ts';
import { inTime, pass, startChainPool, useChainTime } from './chain-pool.ts';
import { poolOf } from './pool-of.ts';

useChainTime();

const ANSWER = '{"jsonrpc":"2.0","result":1,"id":1}';

const total = (nodes: readonly ChainNode[], method: string) =>
  nodes.reduce((sum, node) => sum + node.asked(method), 0);

test.each(['refuses', 'breaks', 'internal', 'busy'] as const)(
  'no read fails when a node %s: another one answers',
  async (fault) => {
    const { nodes, call, failovers } = await startChainPool();
    const [first] = nodes;
    if (first === undefined) throw new Error('no node');
    first.fault = fault;
    for (let round = 0; round < 20; round++) expect(await call('getBalance')).toHaveProperty('value');
    expect(failovers.every((each) => each === 'node-1 failed')).toBe(true);
    expect(failovers.length).toBeGreaterThan(0);
  },
);

test('a read that a node does not answer is sent to another after the patience, and the first is given up', async () => {
  const { nodes, call } = await startChainPool({ patienceMs: 300 });
  const [first] = nodes;
  if (first === undefined) throw new Error('no node');
  first.fault = 'hangs';
  const answers = Promise.all([call('getBalance'), call('getBalance'), call('getBalance')]);
  await pass(301);
  expect(await answers).toHaveLength(3);
});

test.each(['breaks', 'refuses'] as const)(
  'a node that %s is asked again when it has recovered, while the other one takes too long',
  async (fault) => {
    const { nodes, call } = await startChainPool({ nodes: 2, patienceMs: 300 });
    for (const failing of nodes) {
      for (const node of nodes) node.fault = node === failing ? fault : 'hangs';
      const before = total([failing], 'getBalance');
      const answer = call('getBalance');
      for (let passed = 0; passed < 900; passed += 100) await pass(100);
      expect(total([failing], 'getBalance') - before).toBe(1);
      failing.fault = undefined;
      for (let passed = 0; passed < 2_000; passed += 100) await pass(100);
      expect(await answer).toHaveProperty('value');
    }
  },
);

test.each([
  ['getBalance', 1],
  ['getProgramAccounts', 0],
] as const)('%s that every node has lost is asked again %i time of each', async (method, again) => {
  const { nodes, call } = await startChainPool({ patienceMs: 500 });
  for (const node of nodes) node.fault = 'hangs';
  const before = total(nodes, method);
  const params = method === 'getBalance' ? undefined : ['11111111111111111111111111111111'];
  const answer = call(method, params).then(
    () => 'answered',
    () => 'failed',
  );
  for (let passed = 0; passed < 5_000; passed += 100) await pass(100);
  expect(total(nodes, method) - before).toBe(nodes.length * (1 + again));
  for (const node of nodes) node.fault = undefined;
  expect(await Promise.race([answer, pass(0).then(() => 'open')])).toBe('open');
});

test('a light read that was lost by one node after the other is answered when they have recovered', async () => {
  const { nodes, call } = await startChainPool({ patienceMs: 500 });
  for (const node of nodes) node.fault = 'hangs';
  const answer = call('getBalance');
  for (let passed = 0; passed < 800; passed += 100) await pass(100);
  for (const node of nodes) node.fault = undefined;
  for (let passed = 0; passed < 500; passed += 100) await pass(100);
  expect(await answer).toHaveProperty('value');
});

test('a node that failed is looked for again soon, while another takes too long', async () => {
  const { nodes, call } = await startChainPool({ nodes: 2, patienceMs: 5_000 });
  for (const node of nodes) node.fault = 'hangs';
  let isAnswered = false;
  const answer = call('getProgramAccounts', ['11111111111111111111111111111111']).finally(() => {
    isAnswered = true;
  });
  await pass(0);
  const other = nodes.find((node) => node.asked('getProgramAccounts') === 0);
  if (other === undefined) throw new Error('both were asked at once');
  other.fault = 'busy';
  for (let passed = 0; passed < 5_100; passed += 100) await pass(100);
  expect(other.asked('getProgramAccounts')).toBe(1);
  other.fault = undefined;
  for (let passed = 0; passed < 1_500; passed += 100) await pass(100);
  expect(isAnswered).toBe(true);
  await answer;
});

test.each([
  ['getBalance', 1_000],
  ['getProgramAccounts', 0],
] as const)('%s that another node has answered is cancelled after %i ms', async (method, afterMs) => {
  const signals: CallSignal[] = [];
  const hangs = ({ signal }: UpstreamRequest) =>
    new Promise<never>((_, reject) => {
      signals.push(signal);
      signal.onAbort(reject);
    });
  const answers = async () => ({ kind: 'whole' as const, body: Buffer.from(ANSWER), isError: false });
  const [first, second] = [hangs, answers].map((send) => ({
    upstream: { send, close: async () => undefined },
  }));
  if (first === undefined || second === undefined) throw new Error('no node');
  const { upstream } = poolOf([first, second], { settings: { ...POOL_DEFAULTS, patienceMs: 300 } });
  const answer = upstream.send({ body: Buffer.from('{}'), method, id: '1', signal: new CallSignal() });
  await pass(300);
  expect(await answer).toHaveProperty('kind', 'whole');
  await pass(Math.max(0, afterMs - 1));
  expect(signals.map(({ aborted }) => aborted)).toEqual([afterMs === 0]);
  await pass(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('a read is hedged after the 95th percentile of its node, within the share', async () => {
  const { nodes, call, failovers } = await startChainPool({ nodes: 2, hedgeShare: 0.05 });
  for (const node of nodes) node.delayMs = 10;
  for (let round = 0; round < 200; round++) {
    const asked = call('getBalance');
    await pass(10);
    await asked;
  }
  failovers.length = 0;
  const before = total(nodes, 'getBalance');
  const [first] = nodes;
  if (first === undefined) throw new Error('no node');
  first.delayMs = 400;
  for (let round = 0; round < 100; round++) {
    const asked = call('getBalance');
    await pass(400);
    await asked;
  }
  const hedges = failovers.filter((each) => each.endsWith('hedged')).length;
  expect(hedges).toBeGreaterThan(0);
  expect(hedges).toBeLessThanOrEqual(10 + 0.05 * 100);
  expect(total(nodes, 'getBalance') - before).toBe(100 + hedges);
});

test.each(['breaks', 'internal'] as const)(
  'a transaction goes to one node once, also if that node %s',
  async (fault) => {
    const { nodes, call } = await startChainPool();
    for (const node of nodes) node.fault = fault;
    await call('sendTransaction', ['AQ==']).catch(() => undefined);
    expect(total(nodes, 'sendTransaction')).toBe(1);
  },
);

test('a transaction moves on only from nodes that did not take it', async () => {
  const { nodes, call } = await startChainPool();
  for (const node of nodes.slice(0, 2)) node.fault = 'refuses';
  for (let round = 0; round < 3; round++) expect(await call('sendTransaction', ['AQ=='])).toBe('signature');
  expect(nodes[2]?.asked('sendTransaction')).toBe(3);
});

test('by setting a transaction goes to several nodes at once, to each once; one success is enough', async () => {
  const { nodes, call } = await startChainPool({ sendAtOnce: 2 });
  const [first, second] = nodes;
  if (first === undefined || second === undefined) throw new Error('no node');
  first.fault = 'internal';
  expect(await call('sendTransaction', ['AQ=='])).toBe('signature');
  expect(nodes.map((node) => node.asked('sendTransaction'))).toEqual([1, 1, 0]);
  second.fault = 'internal';
  for (const node of nodes) node.fault = 'internal';
  expect(await call('sendTransaction', ['AQ=='])).toMatchObject({ code: -32603 });
});

test('calls are shared by weight, and go by role', async () => {
  const { nodes, call } = await startChainPool({
    shares: [{ weight: 3, roles: ['read'] }, { weight: 1, roles: ['read', 'send'] }, { roles: ['archive'] }],
  });
  for (let round = 0; round < 40; round++) await call('getBalance');
  for (let round = 0; round < 4; round++) await call('sendTransaction', ['AQ==']);
  expect(nodes.map((node) => [node.asked('getBalance'), node.asked('sendTransaction')])).toEqual([
    [30, 0],
    [10, 4],
    [0, 0],
  ]);
});

test('old history is read where it is: nodes are asked for their oldest block', async () => {
  const { nodes, call } = await startChainPool({
    prepare: ([first, second]) => {
      if (first !== undefined) first.firstSlot = chainSlot() - 1_000;
      if (second !== undefined) second.firstSlot = chainSlot() - 1_000;
    },
  });
  const old = chainSlot() - 5_000;
  for (let round = 0; round < 6; round++)
    expect(await call('getBlock', [old], { oldestSlot: old })).toMatchObject({ slot: old });
  expect(nodes.map((node) => node.asked('getBlock'))).toEqual([0, 0, 6]);
});

test('the past of an address is read at the nodes that go back furthest, in turn where they hardly differ, and elsewhere if these are gone', async () => {
  const { nodes, call } = await startChainPool({
    shares: [{}, {}, { roles: ['archive'] }],
    prepare: (all) => {
      for (const [index, back] of [1_000, 90_000, 91_000].entries())
        Object.assign(all[index] ?? {}, { firstSlot: chainSlot() - back });
    },
  });
  const read = () => inTime(call('getSignaturesForAddress', ['an address'], { oldestSlot: 0 }));
  for (let round = 0; round < 6; round++) await read();
  expect(nodes.map((node) => node.asked('getSignaturesForAddress'))).toEqual([0, 3, 3]);
  for (const node of nodes.slice(1)) node.fault = 'refuses';
  for (let round = 0; round < 4; round++) await read();
  expect(nodes[0]?.asked('getSignaturesForAddress')).toBe(4);
});

test.each(['busy', 'internal', 'hangs'] as const)(
  'a list of old history is not cut short while the node that has it %s: no other is asked',
  async (fault) => {
    const { nodes, call } = await startChainPool({
      nodes: 2,
      patienceMs: 300,
      prepare: ([pruned]) => Object.assign(pruned ?? {}, { firstSlot: chainSlot() - 100 }),
    });
    const [pruned, archive] = nodes;
    if (pruned === undefined || archive === undefined) throw new Error('no node');
    archive.fault = fault;
    const answer = call('getSignaturesForAddress', ['an address'], { oldestSlot: 0 });
    await pass(fault === 'hangs' ? 900 : 50);
    archive.fault = undefined;
    if (fault === 'hangs') answer.catch(() => undefined);
    else expect(await inTime(answer)).toHaveLength(1_000);
    expect(pruned.asked('getSignaturesForAddress')).toBe(0);
    expect(await inTime(call('getBalance'))).toHaveProperty('value');
  },
);

test('a node that says it lists no history is none that has it: another one is asked', async () => {
  const none = {
    jsonrpc: '2.0',
    error: { code: -32011, message: 'Transaction history is not available' },
    id: 1,
  };
  const { nodes, call } = await startChainPool({
    nodes: 2,
    prepare: ([pruned]) => Object.assign(pruned ?? {}, { firstSlot: chainSlot() - 100 }),
  });
  Object.assign(nodes[1] ?? {}, {
    send: async () => ({ kind: 'whole', body: Buffer.from(JSON.stringify(none)), isError: false }),
  });
  expect(await inTime(call('getSignaturesForAddress', ['an address'], { oldestSlot: 0 }))).toHaveLength(1);
});

test('a block that one node no longer has is answered by one that has it, and else as the node answers', async () => {
  const { nodes, call } = await startChainPool();
  const [first, second, third] = nodes;
  if (first === undefined || second === undefined || third === undefined) throw new Error('no node');
  for (const node of [first, second]) node.firstSlot = chainSlot();
  for (let round = 0; round < 6; round++) expect(await call('getBlock', [5])).toMatchObject({ slot: 5 });
  third.firstSlot = chainSlot();
  expect(await call('getBlock', [5])).toMatchObject({ code: -32001 });
});

test('a client that has left costs no other node, and no node its health', async () => {
  const { nodes, call, standings } = await startChainPool({ patienceMs: 100 });
  for (const node of nodes) node.delayMs = 50;
  const signal = new CallSignal();
  const asked = expect(call('getBalance', [], { signal })).rejects.toThrow('left');
  await pass(1);
  signal.abort(new Error('left'));
  await pass(100);
  await asked;
  expect([total(nodes, 'getBalance'), standings()]).toEqual([1, ['healthy', 'healthy', 'healthy']]);
});
