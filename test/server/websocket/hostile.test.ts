import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, KEY, startGateway } from '../start-gateway.ts';
import { type ScriptedPubsub, startScriptedPubsub } from '../../support/scripted-pubsub.ts';
import { askForSocket, openSocket } from '../../support/socket-client.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { rounds } from '../../support/tier.ts';

let node: ScriptedPubsub;
let gateway: Gateway;

beforeAll(async () => {
  node = await startScriptedPubsub();
  node.answers.getVersion = { 'solana-core': '4.0.0' };
  gateway = await startGateway({ nodeUrls: [node.url], maxBodyBytes: 51_200 });
});
afterAll(async () => {
  await gateway.close();
  await node.close();
});

/** Checks that the server still answers, and returns the number of its other connections. */
async function othersOpen(): Promise<number> {
  const probe = await openSocket(gateway.wsUrl);
  expect((await probe.call('getVersion')).result).toEqual({ 'solana-core': '4.0.0' });
  probe.close();
  await probe.closed;
  const text = await gateway.metrics.registry.metrics();
  return Number(/^keyslot_ws_sockets (\d+)/m.exec(text)?.[1]);
}

const METHODS = [
  'getVersion',
  'getSlot',
  'slotSubscribe',
  'rootSubscribe',
  'accountSubscribe',
  'logsSubscribe',
];
const UNSUBSCRIBES = [
  'slotUnsubscribe',
  'accountUnsubscribe',
  'ping',
  'toString',
  '__proto__',
  'gapNotification',
];
const call = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom(...METHODS, ...UNSUBSCRIBES), fc.string()),
    params: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const message = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  call.map((value) => JSON.stringify(value)),
  fc.array(call, { maxLength: 8 }).map((calls) => JSON.stringify(calls)),
  fc.string(),
  call.map((value) => JSON.stringify(value).slice(0, -1)),
);

test('whatever a client says, it is answered or closed, and everyone else is served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 20 }), async (messages) => {
      const client = await openSocket(gateway.wsUrl);
      for (const each of messages) client.send(each);
      const last = await client.call('getVersion').catch(() => undefined);
      expect(last?.result).toEqual({ 'solana-core': '4.0.0' });
      for (const line of client.texts) expect(() => JSON.parse(line)).not.toThrow();
      client.close();
      await client.closed;
    }),
    { numRuns: rounds(60) },
  );
  await eventually('nobody is left', async () => ((await othersOpen()) === 0 ? true : undefined));
  await eventually('nothing is subscribed to', async () => {
    const text = await gateway.metrics.registry.metrics();
    return /^keyslot_ws_subscriptions\{.*clients"\} [1-9]/m.test(text) ? undefined : true;
  });
});

test('connections that come and go in the middle of everything leave nothing behind', async () => {
  await Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      const client = await openSocket(gateway.wsUrl);
      for (const method of METHODS) client.call(method).catch(() => undefined);
      client.call('signatureSubscribe', ['1'.repeat(64)]).catch(() => undefined);
      if (at % 3 === 0) client.socket.terminate();
      else if (at % 3 === 1) client.close();
      else await client.call('rootSubscribe').then(() => client.socket.terminate());
      await client.closed;
    }),
  );
  await eventually('nobody is left', async () => ((await othersOpen()) === 0 ? true : undefined));
  await eventually('the node has no subscription but its slots', () =>
    ['rootSubscribe', 'accountSubscribe', 'signatureSubscribe'].every(
      (method) => node.subscriptions(method).length === 0,
    )
      ? true
      : undefined,
  );
});

test('bytes at random on an open connection end it, and no other', async () => {
  for (let turn = 0; turn < 20; turn++) {
    const client = await openSocket(gateway.wsUrl);
    const stream = (client.socket as unknown as { readonly _socket: NodeJS.WritableStream })._socket;
    stream.write(randomBytes(200));
    stream.end();
    await client.closed;
  }
  await eventually('nobody is left', async () => ((await othersOpen()) === 0 ? true : undefined));
});

test('a message in a thousand fragments is one message; a flood of pings ends the connection at most', async () => {
  const client = await openSocket(gateway.wsUrl);
  const text = '{"jsonrpc":"2.0","id":1,"method":"getVersion"}'.padEnd(1_000);
  for (let at = 0; at < 1_000; at++) client.socket.send(text[at] ?? '', { fin: at === 999 });
  expect((await client.next()).result).toEqual({ 'solana-core': '4.0.0' });
  for (let at = 0; at < 5_000; at++) client.socket.ping('x');
  await client.call('getVersion').catch(() => undefined);
  client.close();
  await eventually('nobody is left', async () => ((await othersOpen()) === 0 ? true : undefined));
});

test('no refusal of an upgrade repeats the key', async () => {
  const paths = [`/none?apikey=${KEY}-secret`, `/solana-localnet?apikey=${KEY}-secret`];
  for (const path of paths) {
    const { status, body } = await askForSocket(`${gateway.baseUrl}${path}`);
    expect([status, body.includes('secret')]).toEqual([expect.any(Number), false]);
  }
});
