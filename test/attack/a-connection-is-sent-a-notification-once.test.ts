import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateway } from '../server/start-gateway.ts';
import { type ScriptedPubsub, startScriptedPubsub } from '../support/scripted-pubsub.ts';
import { openSocket } from '../support/socket-client.ts';

// Notifications weigh nothing, so what a key can have sent must not grow with its subscribe calls.

const MANY = 200;
const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';

let node: ScriptedPubsub;

beforeEach(async () => {
  node = await startScriptedPubsub();
});
afterEach(() => node.close());

/** A subscription of an account for each part of its data. */
const subscribed = (offset: number) => [ADDRESS, { encoding: 'base64', dataSlice: { offset, length: 1 } }];

test('however often a connection subscribes to the same, it is sent each notification once', async () => {
  await using gateway = await startedGateway();
  const client = await openSocket(gateway.wsUrl);
  const ids = new Set<unknown>();
  for (let asked = 0; asked < MANY; asked++)
    ids.add((await client.call('accountSubscribe', subscribed(0))).result);
  expect(ids.size).toBe(1);
  for (const slot of [7, 8])
    node.notify('accountSubscribe', { context: { slot }, value: { lamports: slot, data: ['', 'base64'] } });
  for (const slot of [7, 8])
    expect(await client.next()).toMatchObject({ params: { result: { context: { slot } } } });
  await client.call('getSlot');
  expect(client.texts.filter((text) => text.includes('accountNotification'))).toHaveLength(2);
});

test('different subscriptions are bounded for a connection, and for all connections of a key', async () => {
  await using gateway = await startedGateway({ maxSubscriptions: 3 }, { maxSubscriptionsPerKey: 5 });
  const [one, two] = [await openSocket(gateway.wsUrl), await openSocket(gateway.wsUrl)];
  const subscribe = async (client: typeof one, offset: number) => {
    const { result, error } = await client.call('accountSubscribe', subscribed(offset));
    return result === undefined ? (error as { data?: unknown }).data : 'subscribed';
  };
  for (const offset of [1, 2, 3]) expect(await subscribe(one, offset)).toBe('subscribed');
  expect(await subscribe(one, 4)).toMatchObject({ scope: 'connection', limit: 3, value: 3 });
  for (const offset of [4, 5]) expect(await subscribe(two, offset)).toBe('subscribed');
  expect(await subscribe(two, 6)).toMatchObject({ scope: 'API key', limit: 5, value: 5 });
});

async function startedGateway(...bounds: readonly object[]) {
  const sockets = Object.assign({}, ...bounds) as object;
  const gateway = await startGateway({ nodeUrls: [node.url], sockets });
  return { ...gateway, [Symbol.asyncDispose]: () => gateway.close() };
}
