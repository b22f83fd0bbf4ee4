import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Gateway, type GatewayOptions, startGateway } from '../../../server/start-gateway.ts';
import { eventually } from '../../../../src/core/eventually.ts';
import { NodeRefusal, type ScriptedPubsub, startScriptedPubsub } from '../../../support/scripted-pubsub.ts';
import { openSocket, type SocketClient } from '../../../support/socket-client.ts';

const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';

let node: ScriptedPubsub;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  node = await startScriptedPubsub();
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await node.close();
});

async function start(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  const gateway = await startGateway({ nodeUrls: [node.url], ...options });
  closing.push(() => gateway.close());
  return gateway;
}

async function open(gateway: Gateway): Promise<SocketClient> {
  return openSocket(gateway.wsUrl);
}

test('what the node refuses is answered in its words, and may be asked for again', async () => {
  const client = await open(await start());
  node.refuse = ({ method }) =>
    method === 'voteSubscribe' ? new NodeRefusal(-32601, 'Method not found') : undefined;
  expect((await client.call('voteSubscribe')).error).toEqual({ code: -32601, message: 'Method not found' });
  node.refuse = undefined;
  expect((await client.call('voteSubscribe')).result).toEqual(expect.any(Number));
});

test('params are refused here, in a node’s words', async () => {
  const client = await open(await start());
  expect((await client.call('accountSubscribe', ['abc'])).error).toMatchObject({
    code: -32602,
    message: 'Invalid Request: Invalid pubkey provided',
  });
  expect(node.calls).toEqual([]);
});

test('over HTTP there are no subscriptions', async () => {
  const { rpcUrl } = await start();
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}',
  });
  expect(await response.json()).toMatchObject({ error: { code: -32601 } });
});

test('a subscribe call is counted by its name, with its weight', async () => {
  const counted: unknown[] = [];
  const gateway = await start({
    count: ({ method, weight, outcome }) => counted.push([method, weight, outcome]),
  });
  const client = await open(gateway);
  const { result: id } = await client.call('programSubscribe', [ADDRESS]);
  await client.call('programUnsubscribe', [id]);
  await client.call('programUnsubscribe', [id]);
  expect(counted).toEqual([
    ['programSubscribe', 10, 'ok'],
    ['programUnsubscribe', 1, 'ok'],
    ['programUnsubscribe', 1, 'callerError'],
  ]);
});

test('limits name what they are, how it stands and what to do', async () => {
  const gateway = await start({ sockets: { maxSubscriptions: 2, maxSubscriptionsPerKey: 3 } });
  const [one, two] = [await open(gateway), await open(gateway)];
  const { result: slots } = await one.call('slotSubscribe');
  await one.call('rootSubscribe');
  expect((await one.call('rootSubscribe')).error).toMatchObject({
    code: -32603,
    message: expect.stringContaining('the connection has 2 subscriptions, and the limit is 2; unsubscribe'),
    data: { scope: 'connection', limit: 2, value: 2 },
  });
  await two.call('slotSubscribe');
  expect((await two.call('rootSubscribe')).error).toMatchObject({
    code: -32603,
    data: { scope: 'API key', limit: 3, value: 3 },
  });
  await one.call('slotUnsubscribe', [slots]);
  expect((await two.call('rootSubscribe')).result).toEqual(expect.any(Number));
});

test('a refused subscription takes no place', async () => {
  const client = await open(await start({ sockets: { maxSubscriptions: 1 } }));
  node.refuse = ({ method }) =>
    method === 'voteSubscribe' ? new NodeRefusal(-32601, 'Method not found') : undefined;
  await client.call('voteSubscribe');
  expect((await client.call('rootSubscribe')).result).toEqual(expect.any(Number));
});

test('a subscription that a node would not read is refused here', async () => {
  const client = await open(await start());
  const filters = Array.from({ length: 4 }, () => ({ memcmp: { offset: 0, bytes: '1'.repeat(128) } }));
  const big = { filters, note: 'x'.repeat(4_096) };
  expect((await client.call('programSubscribe', [ADDRESS, big])).error).toMatchObject({ code: -32602 });
  expect((await client.call('rootSubscribe')).result).toEqual(expect.any(Number));
});

test('without a node subscribing fails in time, with a code that every client knows', async () => {
  await node.close();
  const client = await open(await start({ responseTimeoutMs: 300 }));
  expect((await client.call('rootSubscribe')).error).toMatchObject({
    code: -32603,
    data: { name: 'upstreamUnavailable' },
  });
});

test('the next port is tried where a node serves no WebSocket on its own', async () => {
  const pair = await eventually('two free ports', async () => {
    const first = await startScriptedPubsub({ isServingSockets: false });
    const second = await startScriptedPubsub({ port: first.port + 1 }).catch(() => undefined);
    if (second !== undefined) return { first, second };
    await first.close();
    return undefined;
  });
  closing.push(pair.first.close, pair.second.close);
  const client = await open(await start({ nodeUrls: [pair.first.url] }));
  expect((await client.call('rootSubscribe')).result).toEqual(expect.any(Number));
  expect(pair.second.subscriptions('rootSubscribe')).toHaveLength(1);
});
