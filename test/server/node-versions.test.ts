import { describe, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { openSocket } from '../support/socket-client.ts';
import { post } from './start-gateway.ts';
import { useVersionedNodes, type Versions } from './use-versioned-nodes.ts';
import { NEWEST, startVersionedNode } from './versioned-node.ts';

const { start, startBefore } = useVersionedNodes();

const SIGNATURE = '4sqYgxxMAbswc39NdNLg2ws9nVmgEeF4URJ4qSR7Qmy54MjsgxioUsgVr1ajwJ3xYuE3aw5W1uajmDMBzu58fvQ6';
const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';
const SURFNET = { 'solana-core': '4.0.0', 'surfnet-version': '1.6.0', 'feature-set': 7 };
const FIREDANCER = { 'solana-core': '1.2.1', 'feature-set': 7 };
/** Whose versions say nothing of what they have. */
const UNKNOWN = [SURFNET, FIREDANCER, '0.711.30114', '4.4.0-alpha.1', 'next', {}] as const;
const ROUNDS = 4;

/** Members that only Agave 4.4 knows and the gateway cannot replace. */
const NEW_MEMBERS = [
  ['config.minContextSlot', 'getTransaction', [SIGNATURE, { minContextSlot: 7 }]],
  [
    'config.commitment',
    'getSignatureStatuses',
    [[SIGNATURE], { commitment: 'confirmed', searchTransactionHistory: true }],
  ],
  ['config.keyByVoteAccount', 'getLeaderSchedule', [null, { keyByVoteAccount: true }]],
  ['config.keyByVoteAccount', 'getLeaderSchedule', [{ keyByVoteAccount: true }]],
] as const;

/** The same calls without it, or with what older nodes do anyway. */
const OLD_CALLS = [
  ['getTransaction', [SIGNATURE, { commitment: 'confirmed' }]],
  ['getTransaction', [SIGNATURE, { minContextSlot: null }]],
  ['getTransaction', [SIGNATURE, { minContextSlot: 0 }]],
  ['getTransaction', [SIGNATURE, 'json']],
  ['getSignatureStatuses', [[SIGNATURE], { searchTransactionHistory: true, commitment: 'processed' }]],
  ['getSignatureStatuses', [[SIGNATURE], { searchTransactionHistory: true, commitment: 'recent' }]],
  ['getSignatureStatuses', [[SIGNATURE], { searchTransactionHistory: true, commitment: 7 }]],
  ['getLeaderSchedule', [null, { keyByVoteAccount: false, identity: ADDRESS }]],
  ['getLeaderSchedule', [5]],
] as const;

const unordered = async ({ gateway }: Versions): Promise<readonly string[]> =>
  (await gateway.metrics.registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('keyslot_unordered_members_total{'));

describe.each(['4.2.0', '4.3.5', '3.1.0'])('a network of nodes of Agave %s', (version) => {
  test.each(NEW_MEMBERS)(
    '%s of %s is refused with its name and the versions, and reaches no node',
    async (member, method, params) => {
      const { nodes, call } = await start([version]);
      const { error } = await call(method, ...params);
      expect(error).toEqual({
        code: -32602,
        message: `Invalid params: ${member} requires node version 4.4 or newer; the nodes of this network run ${version}`,
        data: { member, needed: '4.4', versions: version },
      });
      expect(nodes[0]?.params(method)).toEqual([]);
    },
  );

  test.each(OLD_CALLS)('%s %j is passed on unchanged', async (method, params) => {
    const { nodes, call } = await start([version]);
    expect((await call(method, ...params)).error).toBeUndefined();
    expect(nodes[0]?.params(method)).toEqual([params]);
  });

  test('minContextSlot of statuses is held against the answer', async () => {
    const { nodes, call } = await start([version]);
    const config = (minContextSlot: number) => ({ minContextSlot, searchTransactionHistory: true });
    const reached = await call('getSignatureStatuses', [SIGNATURE], config(NEWEST));
    expect(reached.result).toEqual({ context: { slot: NEWEST }, value: [null] });
    expect((await call('getSignatureStatuses', [SIGNATURE], config(NEWEST + 1))).error).toEqual({
      code: -32016,
      message: 'Minimum context slot has not been reached',
      data: { contextSlot: NEWEST },
    });
    expect(nodes[0]?.params('getSignatureStatuses')).toHaveLength(2);
  });

  test('33 addresses for rewards are the node’s to refuse', async () => {
    const { nodes, call } = await start([version]);
    const addresses = Array.from({ length: 33 }, () => ADDRESS);
    const { error, result } = await call('getInflationReward', addresses);
    expect(nodes[0]?.params('getInflationReward')).toEqual([[addresses]]);
    if (version === '4.3.5') expect(error.message).toBe('Too many inputs provided; max 32');
    else expect(result).toHaveLength(33);
  });

  test('an identity that leads no slot has an empty schedule', async () => {
    const { call } = await start([version]);
    expect((await call('getLeaderSchedule', null, { identity: ADDRESS })).result).toEqual({});
  });

  test('getAgGenesisCert is the node’s to answer', async () => {
    const { call } = await start([version]);
    const { error, result } = await call('getAgGenesisCert');
    if (version === '4.3.5') expect(result).toBeNull();
    else expect(error).toMatchObject({ code: -32601 });
  });
});

describe.each(['4.4.0', '4.4.0-beta.2', '4.5.1', '5.0.0'])('a node of Agave %s', (version) => {
  test.each(NEW_MEMBERS)('is sent %s of %s as it came', async (_member, method, params) => {
    const versions = await start([version]);
    expect((await versions.call(method, ...params)).error).toBeUndefined();
    expect(versions.nodes[0]?.params(method)).toEqual([params]);
    expect(await unordered(versions)).toEqual([]);
  });

  test('refuses an identity that leads no slot in its own words', async () => {
    const { call } = await start([version]);
    const { error } = await call('getLeaderSchedule', null, { identity: ADDRESS });
    expect(error).toMatchObject({ code: -32022, message: 'a text of nodes' });
  });
});

describe.each(UNKNOWN.map((said) => [said]))('a node that says %j', (said) => {
  test.each(NEW_MEMBERS)('is sent %s of %s unchanged, and it is counted', async (member, method, params) => {
    const versions = await start([said]);
    expect((await versions.call(method, ...params)).error).toBeUndefined();
    expect(versions.nodes[0]?.params(method)).toEqual([params]);
    expect(await unordered(versions)).toEqual([
      `keyslot_unordered_members_total{network="solana-localnet",method="${method}",member="${member}"} 1`,
    ]);
  });
});

describe('a network of nodes of several versions', () => {
  test.each(NEW_MEMBERS)(
    '%s of %s always goes to the one that has it; other calls go to all',
    async (_member, method, params) => {
      const { nodes, call } = await start(['4.2.0', '4.4.0', '4.3.0']);
      for (let round = 0; round < ROUNDS; round++) {
        expect((await call(method, ...params)).error).toBeUndefined();
        await call('getSlot');
      }
      expect(nodes.map((node) => node.params(method).length)).toEqual([0, ROUNDS, 0]);
      expect(nodes.every((node) => node.params('getSlot').length > 0)).toBe(true);
    },
  );

  test('of one that may have it and one that has it, it goes to that; without, to the other, and never to an older one', async () => {
    const [old, maybe, has] = await Promise.all(
      ['4.3.0', SURFNET, '4.4.0'].map((said) => startVersionedNode(said)),
    );
    if (old === undefined || maybe === undefined || has === undefined) throw new Error('no nodes');
    const versions = await startBefore([old, maybe, has]);
    const [[, method, params]] = NEW_MEMBERS;
    for (let round = 0; round < ROUNDS; round++) await versions.call(method, ...params);
    expect([old, maybe, has].map((node) => node.params(method).length)).toEqual([0, 0, ROUNDS]);
    await has.close();
    for (let round = 0; round < ROUNDS; round++)
      expect((await versions.call(method, ...params)).error).toBeUndefined();
    expect([old, maybe].map((node) => node.params(method).length)).toEqual([0, ROUNDS]);
    await maybe.close();
    expect((await versions.call(method, ...params)).error).toMatchObject({ code: -32051 });
    expect(old.params(method)).toEqual([]);
  });

  test('what the gateway can do itself is asked of an older node where the newer one is gone', async () => {
    const [old, has] = await Promise.all([startVersionedNode('4.2.0'), startVersionedNode('4.4.0')]);
    const { call } = await startBefore([old, has]);
    await has.close();
    const config = { minContextSlot: NEWEST + 1, searchTransactionHistory: true };
    expect((await call('getSignatureStatuses', [SIGNATURE], config)).error).toMatchObject({ code: -32016 });
    expect(old.params('getSignatureStatuses')).toHaveLength(1);
  });

  test('getAgGenesisCert goes to one that knows it', async () => {
    const { call } = await start(['4.2.0', '4.3.0']);
    for (let round = 0; round < ROUNDS; round++) expect((await call('getAgGenesisCert')).result).toBeNull();
  });

  test('in a batch, a call that not every node can take goes by itself', async () => {
    const { gateway, nodes } = await start(['4.2.0', '4.4.0']);
    const calls = [
      ['getSlot', []],
      [NEW_MEMBERS[0][1], NEW_MEMBERS[0][2]],
      ['getBlockHeight', []],
      ['getLeaderSchedule', [null]],
    ];
    const batch = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
    const replies = (await (await post(gateway.rpcUrl, JSON.stringify(batch))).json()) as readonly object[];
    expect(replies.map((reply) => 'error' in reply)).toEqual([false, false, false, false]);
    expect(nodes.map((node) => node.params('getTransaction').length)).toEqual([0, 1]);
  });
});

test('a node that comes back as another version is asked again, and what it has now is sent to it', async () => {
  const node = await startVersionedNode('4.3.0');
  const { gateway, call } = await startBefore([node]);
  const [[, method, params]] = NEW_MEMBERS;
  expect((await call(method, ...params)).error).toMatchObject({ code: -32602 });
  const port = node.port;
  await node.close();
  // A call on a connection that closes just then says that it broke.
  await eventually('it is gone', async () => (await call('getSlot')).error?.code === -32051 || undefined);
  const upgraded = await startVersionedNode('4.4.0', '4.4.0', { port });
  expect((await call('getSlot')).result).toBe(NEWEST - 32);
  await eventually('it was asked again', () => gateway.nodes.statuses()[0]?.version === '4.4.0' || undefined);
  await gateway.nodes.settled();
  expect((await call(method, ...params)).error).toBeUndefined();
  expect(upgraded.params(method)).toEqual([params]);
});

test('a node that comes back older is asked before it is sent anything that needs its version', async () => {
  const [old, has] = await Promise.all([startVersionedNode('4.2.0'), startVersionedNode('4.4.0')]);
  const { call } = await startBefore([old, has]);
  const [[, method, params]] = NEW_MEMBERS;
  const port = has.port;
  await has.close();
  expect((await call(method, ...params)).error).toMatchObject({ code: -32051 });
  const downgraded = await startVersionedNode('4.2.0', '4.2.0', { port });
  await call(method, ...params);
  const asked = downgraded.asked.map((each) => each.method);
  const inOrder = asked.filter((each) => each === 'getVersion' || each === method);
  expect(inOrder.slice(0, 3)).toEqual(['getVersion', 'getVersion', 'getVersion']);
  expect(old.params(method)).toEqual([]);
});

test('a node that is upgraded while only its WebSocket is used is known again at once', async () => {
  const node = await startVersionedNode('4.2.0');
  const { gateway, call } = await startBefore([node]);
  const client = await openSocket(gateway.wsUrl);
  await client.call('slotSubscribe');
  node.answers.getVersion = { 'solana-core': '4.3.5', 'feature-set': 8 };
  node.cut();
  await eventually('it was asked again', () => gateway.nodes.statuses()[0]?.version === '4.3.5' || undefined);
  await gateway.nodes.settled();
  const [[, method, params]] = NEW_MEMBERS;
  expect((await call(method, ...params)).error).toMatchObject({ code: -32602 });
  expect(node.params(method)).toEqual([]);
});

test('an address that says one version and then another is that of several nodes: what is new passes, and is counted', async () => {
  const node = await startVersionedNode('4.2.0');
  let turn = 0;
  node.answers.getVersion = () => ({ 'solana-core': turn++ % 2 === 0 ? '4.2.0' : '4.4.0', 'feature-set': 7 });
  const versions = await startBefore([node]);
  const [[member, method, params]] = NEW_MEMBERS;
  expect((await versions.call(method, ...params)).error).toBeUndefined();
  expect(await unordered(versions)).toHaveLength(1);
  expect(await unordered(versions)).toEqual([expect.stringContaining(member)]);
});

test('metrics show each node with its version and feature set, and whether the gateway goes by it', async () => {
  const { gateway } = await start(['4.3.1', SURFNET, {}]);
  const lines = (await gateway.metrics.registry.metrics()).split('\n');
  expect(lines.filter((line) => line.startsWith('keyslot_node_info{'))).toEqual([
    'keyslot_node_info{network="solana-localnet",node="node-1",version="4.3.1",feature_set="7",ordered="true"} 1',
    'keyslot_node_info{network="solana-localnet",node="node-2",version="4.0.0",feature_set="7",ordered="false"} 1',
    'keyslot_node_info{network="solana-localnet",node="node-3",version="",feature_set="",ordered="false"} 1',
  ]);
});
