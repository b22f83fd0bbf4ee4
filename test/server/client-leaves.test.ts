import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CountedCalls } from '../../src/server/access/usage-book.ts';
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

test('every call of a batch whose client leaves is counted as cancelled, also those that were not sent yet', async () => {
  const counted: CountedCalls[] = [];
  await gateway.close();
  gateway = await startGateway({
    nodeUrls: [node.url],
    responseTimeoutMs: 60_000,
    batchConcurrency: 2,
    count: (message) => counted.push(message),
  });
  const arrived = Promise.withResolvers<void>();
  node.play((_response, _seen, attempt) => {
    if (attempt === 2) arrived.resolve();
  });
  const item = (id: number, method: string): string => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
  const items = [1, 2, 3].flatMap((id) => [item(id, 'getSlot'), item(-id, 'getSupply')]);
  const leave = new AbortController();
  const body = `[${items.join()}]`;
  const answer = fetch(gateway.rpcUrl, { method: 'POST', headers, body, signal: leave.signal });
  await arrived.promise;
  leave.abort();
  await expect(answer).rejects.toThrow();
  const series = (method: string): string =>
    `keyslot_rpc_calls_total{network="solana-localnet",method="${method}",outcome="cancelled"} 3`;
  await expect.poll(() => gateway.metrics.registry.metrics()).toContain(series('getSupply'));
  const text = await gateway.metrics.registry.metrics();
  expect(text).toContain(series('getSlot'));
  expect(text).toContain('keyslot_rpc_in_flight{network="solana-localnet"} 0');
  const calls = counted
    .filter(({ outcome }) => outcome === 'ok')
    .reduce((sum, { calls = 1 }) => sum + calls, 0);
  expect([calls, node.seen.length]).toEqual([6, 2]);
});
