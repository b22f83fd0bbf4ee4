import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Gateway, type GatewayOptions, startGateway } from '../../../server/start-gateway.ts';
import { CERT, KEY } from '../../../server/self-signed.ts';
import { eventually } from '../../../../src/core/eventually.ts';
import { type ScriptedPubsub, startScriptedPubsub } from '../../../support/scripted-pubsub.ts';
import { openSocket, type SocketClient } from '../../../support/socket-client.ts';

const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';
const SIGNATURE = '4sqYgxxMAbswc39NdNLg2ws9nVmgEeF4URJ4qSR7Qmy54MjsgxioUsgVr1ajwJ3xYuE3aw5W1uajmDMBzu58fvQ6';

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

function account(slot: number, lamports = slot) {
  return { context: { slot }, value: { lamports, data: ['', 'base64'] } };
}

test('the same subscription of several clients is one at the node and has one id', async () => {
  const gateway = await start();
  const [one, two] = [await open(gateway), await open(gateway)];
  const config = { encoding: 'base64', commitment: 'confirmed' };
  const first = await one.call('accountSubscribe', [ADDRESS, config]);
  const second = await two.call('accountSubscribe', [
    ADDRESS,
    { commitment: 'confirmed', encoding: 'base64', dataSlice: null },
  ]);
  expect(first.result).toBe(second.result);
  expect(node.subscriptions('accountSubscribe')).toHaveLength(1);
  node.notify('accountSubscribe', account(7));
  const told = { method: 'accountNotification', params: { result: account(7), subscription: first.result } };
  expect(await one.next()).toMatchObject(told);
  expect(await two.next()).toMatchObject(told);
});

test('the default commitment and an empty config are the same as none', async () => {
  const gateway = await start();
  const client = await open(gateway);
  const ids = [
    await client.call('accountSubscribe', [ADDRESS]),
    await client.call('accountSubscribe', [ADDRESS, {}]),
    await client.call('accountSubscribe', [ADDRESS, null]),
    await client.call('accountSubscribe', [ADDRESS, { commitment: 'finalized' }]),
  ].map(({ result }) => result);
  expect(new Set(ids).size).toBe(1);
  expect((await client.call('accountSubscribe', [ADDRESS, { commitment: 'processed' }])).result).not.toBe(
    ids[0],
  );
  expect((await client.call('accountUnsubscribe', [ids[0]])).result).toBe(true);
  expect((await client.call('accountUnsubscribe', [ids[0]])).error).toMatchObject({
    code: -32602,
    message: 'Invalid subscription id.',
  });
});

test('results pass through as the bytes that the node sent', async () => {
  const client = await open(await start());
  const { result: id } = await client.call('accountSubscribe', [ADDRESS]);
  const [subscription] = node.subscriptions('accountSubscribe');
  const raw = '{"context": {"slot":9},"value":{"rentEpoch":18446744073709551615, "ui":1.50}}';
  node.sendText(
    `{"jsonrpc":"2.0","method":"accountNotification","params":{"result":${raw},"subscription":${subscription}}}`,
  );
  await client.next();
  expect(client.texts.at(-1)).toBe(
    `{"jsonrpc":"2.0","method":"accountNotification","params":{"result":${raw},"subscription":${id}}}`,
  );
});

test('the reply comes before the first notification, though the node sends both in one packet', async () => {
  const client = await open(await start());
  node.eager = 77;
  const { result: subscription } = await client.call('rootSubscribe');
  expect(await client.next()).toMatchObject({ params: { result: 77, subscription } });
  expect(client.texts.map((line) => line.includes('rootNotification'))).toEqual([false, true]);
});

test('in a batch, notifications wait until the whole batch is answered', async () => {
  const gateway = await start();
  const client = await open(gateway);
  const slow = Promise.withResolvers<number>();
  node.answers.getBlockHeight = () => slow.promise;
  client.send(
    '[{"jsonrpc":"2.0","id":1,"method":"rootSubscribe"},{"jsonrpc":"2.0","id":2,"method":"getBlockHeight"}]',
  );
  await eventually(
    'the node has both',
    () =>
      (node.subscriptions('rootSubscribe').length === 1 &&
        node.asked.some(({ method }) => method === 'getBlockHeight')) ||
      undefined,
  );
  for (const root of [1, 2, 3]) node.notify('rootSubscribe', root);
  const other = await open(gateway);
  await other.call('rootSubscribe');
  expect(client.texts).toEqual([]);
  slow.resolve(5);
  await eventually('it is answered', () => client.texts.length >= 2 || undefined);
  expect(client.texts[0]).toMatch(/^\[/);
  expect(client.texts.at(-1)).toContain('"result":3');
});

test('the subscription at the node ends when the last client has left it', async () => {
  const gateway = await start();
  const [one, two] = [await open(gateway), await open(gateway)];
  const { result: id } = await one.call('logsSubscribe', ['all']);
  await two.call('logsSubscribe', ['all']);
  expect((await one.call('slotUnsubscribe', [id])).result).toBe(true);
  expect(node.subscriptions('logsSubscribe')).toHaveLength(1);
  two.close();
  await eventually('it is gone', () => node.subscriptions('logsSubscribe').length === 0 || undefined);
});

test('an id is of the connection that it was given to', async () => {
  const gateway = await start();
  const [one, two] = [await open(gateway), await open(gateway)];
  const { result: id } = await one.call('rootSubscribe');
  expect((await two.call('rootUnsubscribe', [id])).error).toMatchObject({ code: -32602 });
});

test('over TLS it is the same', async () => {
  const gateway = await start({ tls: { cert: Buffer.from(CERT), key: Buffer.from(KEY) } });
  const client = await openSocket(gateway.wsUrl.replace('ws:', 'wss:'), { ca: CERT });
  const { result: subscription } = await client.call('rootSubscribe');
  node.notify('rootSubscribe', 5);
  expect(await client.next()).toMatchObject({ params: { result: 5, subscription } });
});

test('a signature subscription ends with its notification', async () => {
  const client = await open(await start());
  const params = [SIGNATURE, { commitment: 'confirmed', enableReceivedNotification: true }];
  const { result: id } = await client.call('signatureSubscribe', params);
  node.notify('signatureSubscribe', { context: { slot: 3 }, value: 'receivedSignature' });
  node.notify('signatureSubscribe', { context: { slot: 4 }, value: { err: null } });
  expect(await client.next()).toMatchObject({ params: { result: { value: 'receivedSignature' } } });
  expect(await client.next()).toMatchObject({
    params: { result: { value: { err: null } }, subscription: id },
  });
  expect((await client.call('signatureUnsubscribe', [id])).error).toMatchObject({ code: -32602 });
  expect((await client.call('signatureSubscribe', params)).result).not.toBe(id);
});

test('a signature that has reached its level is told at once, whatever the node would do', async () => {
  const client = await open(await start());
  node.answers.getSignatureStatuses = ([signatures]: readonly unknown[]) => ({
    context: { slot: 90 },
    value: (signatures as readonly string[]).map(() => ({
      slot: 80,
      confirmations: 3,
      err: { InstructionError: [0, { Custom: 7 }] },
      confirmationStatus: 'confirmed',
    })),
  });
  const { result: id } = await client.call('signatureSubscribe', [SIGNATURE, { commitment: 'confirmed' }]);
  expect(await client.next()).toMatchObject({
    method: 'signatureNotification',
    params: {
      result: { context: { slot: 80 }, value: { err: { InstructionError: [0, { Custom: 7 }] } } },
      subscription: id,
    },
  });
  await client.call('signatureSubscribe', [SIGNATURE]);
  await eventually(
    'it was looked at',
    () => node.asked.filter(({ method }) => method === 'getSignatureStatuses').length === 2 || undefined,
  );
  expect(client.texts.filter((line) => line.includes('signatureNotification'))).toHaveLength(1);
});

test.each(['max', 'root', 'singleGossip', 'Confirmed', 5])(
  'a signature at a commitment that nodes do not know, %s, is told when it is finalized and no sooner',
  async (commitment) => {
    const client = await open(await start());
    node.answers.getSignatureStatuses = ([signatures]: readonly unknown[]) => ({
      context: { slot: 90 },
      value: (signatures as readonly string[]).map(() => ({
        slot: 80,
        err: null,
        confirmationStatus: 'confirmed',
      })),
    });
    const { result: id } = await client.call('signatureSubscribe', [SIGNATURE, { commitment }]);
    const same = await client.call('signatureSubscribe', [SIGNATURE, { commitment: 'finalized' }]);
    expect(same.result).toBe(id);
    await eventually('its status was read', () =>
      node.asked.some(({ method }) => method === 'getSignatureStatuses') ? true : undefined,
    );
    await client.call('getSlot');
    expect(client.texts.filter((line) => line.includes('signatureNotification'))).toEqual([]);
    node.notify('signatureSubscribe', { context: { slot: 80 }, value: { err: null } });
    expect(await client.next()).toMatchObject({ method: 'signatureNotification' });
  },
);

test('the metrics say how many subscriptions there are, and at the node', async () => {
  const gateway = await start();
  const [one, two] = [await open(gateway), await open(gateway)];
  await one.call('rootSubscribe');
  await two.call('rootSubscribe');
  node.notify('rootSubscribe', 5);
  await one.next();
  await two.next();
  const text = await gateway.metrics.registry.metrics();
  const labels = 'network="solana-localnet",subscription="rootSubscribe"';
  expect(text).toContain(`keyslot_ws_subscriptions{${labels},side="clients"} 2`);
  expect(text).toContain(`keyslot_ws_subscriptions{${labels},side="node"} 1`);
  expect(text).toContain(`keyslot_ws_notifications_total{${labels}} 2`);
  expect(text).toContain('keyslot_upstream_ws_up{network="solana-localnet"} 1');
});
