import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url] });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

const NOTIFICATION = '{"jsonrpc":"2.0","method":"getSlot","params":[]}';

test('a notification runs and is answered with an empty body', async () => {
  const response = await post(gateway.rpcUrl, NOTIFICATION);
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(node.seen.map(({ body }) => body)).toEqual([NOTIFICATION]);
});

test('a notification that fails is not answered either', async () => {
  node.play((response) => response.destroy());
  const response = await post(gateway.rpcUrl, NOTIFICATION);
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test('a notification of an unknown method is not answered and reaches no node', async () => {
  const response = await post(gateway.rpcUrl, '{"jsonrpc":"2.0","method":"nope"}');
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(node.seen).toEqual([]);
});

test('an id of null makes a call, not a notification', async () => {
  const response = await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":null,"method":"getSlot"}');
  expect(await response.json()).toEqual({ jsonrpc: '2.0', result: 1, id: null });
});

test('notifications leave no place in the answer of a batch', async () => {
  const body = `[${NOTIFICATION},{"jsonrpc":"2.0","id":1,"method":"getSlot"},${NOTIFICATION}]`;
  expect(await (await post(gateway.rpcUrl, body)).json()).toEqual([{ jsonrpc: '2.0', result: 1, id: 1 }]);
  expect(node.seen).toHaveLength(3);
});

test('a batch of notifications is answered with an empty body', async () => {
  const response = await post(gateway.rpcUrl, `[${NOTIFICATION},${NOTIFICATION}]`);
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(node.seen).toHaveLength(2);
});
