import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { openSocket } from '../../support/socket-client.ts';
import { echoResult, type ScriptedNode, sendJson, startScriptedNode } from '../scripted-node.ts';
import { type Gateway, type GatewayOptions, KEY, startGateway } from '../start-gateway.ts';

let node: ScriptedNode;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  node = await startScriptedNode();
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

test('a call reaches the node as the bytes that came, and its answer comes back so', async () => {
  const { wsUrl } = await start();
  node.play((response) =>
    sendJson(response, '{"jsonrpc":"2.0","result":{"lamports": 18446744073709551615},"id":"a"}\n'),
  );
  const client = await openSocket(wsUrl);
  const call = '{ "jsonrpc":"2.0", "id":"a", "method":"getSlot","params":[ ] }';
  client.send(call);
  await client.next();
  expect(node.seen[0]?.body).toBe(call);
  expect(client.texts).toEqual(['{"jsonrpc":"2.0","result":{"lamports": 18446744073709551615},"id":"a"}']);
});

test('params are refused in a node’s words, an unknown method too', async () => {
  const client = await openSocket((await start()).wsUrl);
  expect((await client.call('getBalance', [])).error).toMatchObject({ code: -32602 });
  expect((await client.call('getMoon')).error).toMatchObject({ code: -32601 });
  expect(node.seen).toEqual([]);
});

test.each([
  ['{', -32700],
  ['"text"', -32700],
  ['{"jsonrpc":"2.0","id":7}', -32600],
])('a message that is no call is answered: %s', async (message, code) => {
  const client = await openSocket((await start()).wsUrl);
  client.send(message);
  expect((await client.next()).error).toMatchObject({ code });
  expect((await client.call('getSlot')).result).toBe(1);
});

test('a batch is answered as one, in the order of its calls', async () => {
  const client = await openSocket((await start()).wsUrl);
  client.send('[{"jsonrpc":"2.0","id":2,"method":"getSlot"},{"jsonrpc":"2.0","id":1,"method":"getMoon"}]');
  const reply = (await client.next()) as unknown as readonly { id: number }[];
  expect(reply.map(({ id }) => id)).toEqual([2, 1]);
});

test('a slow call holds no other one up', async () => {
  const { wsUrl } = await start();
  const client = await openSocket(wsUrl);
  const slow = Promise.withResolvers<() => void>();
  node.play((response, seen, attempt) => {
    if (seen.body.includes('getBlock"')) slow.resolve(() => echoResult('7')(response, seen, attempt));
    else echoResult('1')(response, seen, attempt);
  });
  const block = client.call('getBlock', [5]);
  const finish = await slow.promise;
  expect((await client.call('getSlot')).result).toBe(1);
  finish();
  expect((await block).result).toBe(7);
});

test('notifications are not answered, and pings are nothing at all', async () => {
  const counted: string[] = [];
  const { wsUrl } = await start({ count: ({ method }) => counted.push(method) });
  const client = await openSocket(wsUrl);
  client.send('{"jsonrpc":"2.0","method":"ping"}');
  client.send('{"jsonrpc":"2.0","method":"getMoon"}');
  client.send('{"jsonrpc":"2.0","method":"getSlot"}');
  expect((await client.call('getSlot')).result).toBe(1);
  expect(client.texts).toHaveLength(1);
  expect(counted.sort()).toEqual(['getSlot', 'getSlot', 'unknown']);
});

test('a WebSocket ping is answered with a pong of the same bytes', async () => {
  const client = await openSocket((await start()).wsUrl);
  const pong = new Promise((resolve) => client.socket.once('pong', resolve));
  client.socket.ping('here');
  expect(String(await pong)).toBe('here');
});

test('a binary message is read as text; one that is not UTF-8 ends the connection', async () => {
  const client = await openSocket((await start()).wsUrl);
  client.socket.send(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"getSlot"}'), { binary: true });
  expect((await client.next()).result).toBe(1);
  client.socket.send(Buffer.from([0x7b, 0xff]), { binary: true });
  expect((await client.closed).code).toBe(1007);
});

test('a message may be as large as a body, and no larger', async () => {
  const { wsUrl } = await start({ maxBodyBytes: 200 });
  const client = await openSocket(wsUrl);
  client.send('{"jsonrpc":"2.0","id":1,"method":"getSlot"}'.padEnd(200));
  expect((await client.next()).result).toBe(1);
  client.send('{"jsonrpc":"2.0","id":1,"method":"getSlot"}'.padEnd(201));
  expect((await client.closed).code).toBe(1009);
});

test('a large message weighs by its size, a ping too', async () => {
  const ping = '{"jsonrpc":"2.0","method":"ping"}';
  for (const [message, left] of [
    [ping, 10],
    [ping.padEnd(40_000), 7],
    ['{"jsonrpc":"2.0","id":1,"method":"getSlot"}'.padEnd(40_000), 7],
  ] as const) {
    const plan = { name: 'small', requestsPerSecond: 1, burst: 10 };
    const client = await openSocket((await start({ plan })).wsUrl);
    client.send(message);
    client.send('{');
    while (!(await client.next()).error);
    for (let used = 1; used < left; used++) expect((await client.call('getSlot')).error).toBeUndefined();
    expect((await client.call('getSlot')).error).toMatchObject({ data: { code: -32070 } });
  }
});

test('a call that the plan refuses is answered with a code that every client knows, along with its own', async () => {
  const refused: string[] = [];
  const { wsUrl } = await start({
    plan: { name: 'small', requestsPerSecond: 1, burst: 2 },
    count: ({ outcome, method }) => refused.push(`${outcome} ${method}`),
  });
  const client = await openSocket(wsUrl);
  await client.call('getSlot');
  await client.call('getSlot');
  expect((await client.call('getSlot')).error).toMatchObject({
    code: -32603,
    message: expect.stringContaining('Rate limit of the plan small'),
    data: { code: -32070, name: 'rateLimited', limit: 2, remaining: 0 },
  });
  client.send('{');
  expect((await client.next()).error).toMatchObject({ code: -32603, data: { code: -32070 } });
  expect(refused).toEqual(['ok getSlot', 'ok getSlot', 'refused getSlot', 'refused invalid']);
});

test('a node that fails is reported with a code that every client knows', async () => {
  const { wsUrl } = await start();
  node.play((response) => void response.destroy());
  const client = await openSocket(wsUrl);
  expect((await client.call('getSlot')).error).toMatchObject({
    code: -32603,
    data: { code: -32050, name: 'upstreamBroken' },
  });
});

test('no more calls are read than may be under way', async () => {
  const { wsUrl } = await start({ sockets: { maxCalls: 2 } });
  const client = await openSocket(wsUrl);
  const held: (() => void)[] = [];
  node.play((response, seen, attempt) => held.push(() => echoResult('1')(response, seen, attempt)));
  const answers = Array.from({ length: 5 }, () => client.call('getSlot'));
  await eventually('two are under way', () => held.length === 2 || undefined);
  held.shift()?.();
  await eventually('the next one comes for the one that went', () => held.length === 2 || undefined);
  expect(node.seen).toHaveLength(3);
  const all = Promise.all(answers);
  const isDone = all.then(() => true as const);
  await eventually('all are answered', async () => {
    for (const answer of held.splice(0)) answer();
    return Promise.race([isDone, undefined]);
  });
  expect((await all).map(({ result }) => result)).toEqual([1, 1, 1, 1, 1]);
});

test('a call is given up at the node when its client has left', async () => {
  const { wsUrl } = await start();
  node.play(() => undefined);
  const client = await openSocket(wsUrl);
  client.call('getSlot').catch(() => undefined);
  await eventually('the call is there', () => node.seen.length === 1 || undefined);
  client.close();
  await node.left;
});

test('a large answer comes whole, and is held no longer than until it is read', async () => {
  const { wsUrl, metrics } = await start({ maxBufferedBytes: 4 * 1024 * 1024 });
  const text = `"${'x'.repeat(1_000_000)}"`;
  node.play(echoResult(text));
  const client = await openSocket(wsUrl);
  expect((await client.call('getSlot')).result).toHaveLength(1_000_000);
  const held = async () => /^keyslot_held_reply_bytes (\d+)/m.exec(await metrics.registry.metrics())?.[1];
  await eventually('nothing is held', async () => ((await held()) === '0' ? true : undefined));
});

test('the key is in nothing that the node sees', async () => {
  const client = await openSocket((await start()).wsUrl);
  await client.call('getSlot');
  expect(JSON.stringify(node.seen)).not.toContain(KEY);
});
