import { afterEach, beforeEach, expect, test } from 'vitest';
import { echoResult, type ScriptedNode, sendJson, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], maxBatchCalls: 5, batchConcurrency: 2 });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

const call = (id: string, method = 'getSupply'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;

test('replies stand in the order of the calls, whichever is answered first', async () => {
  const firstMayEnd = Promise.withResolvers<void>();
  node.play((response, seen, attempt) => {
    if (seen.body.includes('"id":1,'))
      return void firstMayEnd.promise.then(() => echoResult('"a"')(response, seen, attempt));
    echoResult('"b"')(response, seen, attempt);
    firstMayEnd.resolve();
  });
  const response = await post(gateway.rpcUrl, `[ ${call('1')} , ${call('"x"')},${call('-3')} ]`);
  const replies = ['{"jsonrpc":"2.0","result":"a","id":1}', '{"jsonrpc":"2.0","result":"b","id":"x"}'];
  expect(await response.text()).toBe(`[${replies.join(',')},{"jsonrpc":"2.0","result":"b","id":-3}]\n`);
});

test('each call of a batch reaches the node alone, as its own bytes', async () => {
  await post(gateway.rpcUrl, `[${call('1')},\n { "jsonrpc":"2.0", "id":2, "method":"getVersion" } ]`);
  expect(node.seen.map(({ body }) => body).sort()).toEqual(
    [call('1'), '{ "jsonrpc":"2.0", "id":2, "method":"getVersion" }'].sort(),
  );
});

test('one failing item does not fail the others', async () => {
  node.play((response, seen, attempt) => {
    if (seen.body.includes('"id":2,')) response.destroy();
    else echoResult('1')(response, seen, attempt);
  });
  const items = [call('1'), call('2'), call('3', 'nope'), '{"id":4}', call('5')];
  const response = await post(gateway.rpcUrl, `[${items.join(',')}]`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject([
    { result: 1, id: 1 },
    { error: { code: -32050 }, id: 2 },
    { error: { code: -32601 }, id: 3 },
    { error: { code: -32600 }, id: 4 },
    { result: 1, id: 5 },
  ]);
});

test('no more calls of a batch are under way than allowed', async () => {
  const held: (() => void)[] = [];
  let most = 0;
  node.play((response, seen, attempt) => {
    held.push(() => echoResult('1')(response, seen, attempt));
    most = Math.max(most, held.length);
    if (held.length < 2 && attempt < 5) return;
    setImmediate(() => {
      for (const answer of held.splice(0)) setImmediate(answer);
    });
  });
  await post(gateway.rpcUrl, `[${[1, 2, 3, 4, 5].map((id) => call(String(id))).join(',')}]`);
  expect(most).toBe(2);
});

test('a batch of the limit passes, one more is refused before any call runs', async () => {
  const batch = (size: number): string =>
    `[${Array.from({ length: size }, (_, id) => call(String(id))).join(',')}]`;
  expect(await (await post(gateway.rpcUrl, batch(5))).json()).toHaveLength(5);
  const refused = await post(gateway.rpcUrl, batch(6));
  expect(refused.status).toBe(200);
  expect(await refused.json()).toEqual({
    jsonrpc: '2.0',
    error: {
      code: -32600,
      message: 'A batch can have at most 5 calls, and this one has 6; send several batches',
      data: { limit: 5, value: 6 },
    },
    id: null,
  });
  expect(node.seen).toHaveLength(5);
});

test('a batch above the limit is refused before its items are read: what they hold costs nothing', async () => {
  const refused = await post(gateway.rpcUrl, `[${'1,'.repeat(5)}1]`);
  expect(await refused.json()).toMatchObject({ error: { code: -32600, data: { limit: 5, value: 6 } } });
});

test('an empty batch is answered with an empty body', async () => {
  const response = await post(gateway.rpcUrl, '[ ]');
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test('replies beyond what one batch may hold are errors in their places', async () => {
  node.play((response, { body }) => {
    const id = /"id":(\d)/.exec(body)?.[1];
    const result = id === '1' ? 'small' : 'z'.repeat(1024 * 1024);
    sendJson(response, `{"jsonrpc":"2.0","result":"${result}","id":${id}}`);
  });
  const response = await post(gateway.rpcUrl, `[${call('1')},${call('2')}]`);
  expect(await response.json()).toMatchObject([{ result: 'small' }, { error: { code: -32056 }, id: 2 }]);
});

test('replies beyond what the requests of an account may hold together are refused until an answer has gone', async () => {
  await gateway.close();
  gateway = await startGateway({
    nodeUrls: [node.url],
    maxBufferedBytes: 3 * 1024 * 1024,
    maxHeldBytes: 6 * 1024 * 1024,
  });
  const large = `"${'z'.repeat(2 * 1024 * 1024)}"`;
  const waiting = Promise.withResolvers<() => void>();
  node.play((response, seen, attempt) => {
    if (seen.body.includes('"id":9,')) waiting.resolve(() => echoResult('1')(response, seen, attempt));
    else echoResult(large)(response, seen, attempt);
  });
  const first = post(gateway.rpcUrl, `[${call('1')},${call('9')}]`);
  const finish = await waiting.promise;
  await expect.poll(heldBytes).toBeGreaterThan(2 * 1024 * 1024);
  const full = { error: { code: -32069 } };
  expect(await (await post(gateway.rpcUrl, `[${call('2')},${call('3', 'nope')}]`)).json()).toMatchObject([
    { ...full, id: 2 },
    { error: { code: -32601 }, id: 3 },
  ]);
  const single = await post(gateway.rpcUrl, call('-2'));
  expect([single.status, await single.json()]).toMatchObject([503, { ...full, id: -2 }]);
  expect((await post(gateway.rpcUrl, call('2'))).status).toBe(200);
  finish();
  expect(await (await first).json()).toMatchObject([{ id: 1 }, { result: 1, id: 9 }]);
  await expect.poll(heldBytes).toBe(0);
  expect((await post(gateway.rpcUrl, call('-2'))).status).toBe(200);
});

test('a client that leaves gives back what was held for it', async () => {
  const waiting = Promise.withResolvers<void>();
  node.play((response, seen, attempt) => {
    if (seen.body.includes('"id":9,')) waiting.resolve();
    else echoResult('"small"')(response, seen, attempt);
  });
  const leave = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const body = `[${call('1')},${call('9')}]`;
  const answer = fetch(gateway.rpcUrl, { method: 'POST', headers, body, signal: leave.signal });
  await waiting.promise;
  await expect.poll(heldBytes).toBeGreaterThan(0);
  leave.abort();
  await expect(answer).rejects.toThrow();
  await expect.poll(heldBytes).toBe(0);
});

async function heldBytes(): Promise<number> {
  const text = await gateway.metrics.registry.metrics();
  return Number(/^keyslot_held_reply_bytes (\d+)$/m.exec(text)?.[1]);
}
