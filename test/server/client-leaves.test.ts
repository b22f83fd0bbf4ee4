import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], responseTimeoutMs: 60_000, bodyTimeoutMs: 60_000 });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

const headers = { 'content-type': 'application/json' };
const CALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';

test.each([
  ['a call', CALL],
  ['a batch', `[${CALL},${CALL}]`],
])('a client that leaves cancels %s at the node', async (_what, body) => {
  const arrived = Promise.withResolvers<void>();
  node.play(() => arrived.resolve());
  const leave = new AbortController();
  const answer = fetch(gateway.rpcUrl, { method: 'POST', headers, body, signal: leave.signal });
  await arrived.promise;
  leave.abort();
  await expect(answer).rejects.toThrow();
  await node.left;
});

test('a client that leaves in the middle of a large answer cancels it at the node', async () => {
  node.play((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(200_000)}`);
  });
  const leave = new AbortController();
  const response = await fetch(gateway.rpcUrl, { method: 'POST', headers, body: CALL, signal: leave.signal });
  await response.body?.getReader().read();
  leave.abort();
  await node.left;
});

test('a call that was cancelled is counted as such, not as a failure of the node', async () => {
  const arrived = Promise.withResolvers<void>();
  node.play(() => arrived.resolve());
  const leave = new AbortController();
  const answer = fetch(gateway.rpcUrl, { method: 'POST', headers, body: CALL, signal: leave.signal });
  await arrived.promise;
  leave.abort();
  await expect(answer).rejects.toThrow();
  await node.left;
  await expect.poll(() => gateway.metrics.registry.metrics()).toContain('outcome="cancelled"} 1');
  expect(await gateway.metrics.registry.metrics()).not.toContain('keyslot_upstream_errors_total{');
  expect((await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":1,"method":"nope"}')).status).toBe(200);
});
