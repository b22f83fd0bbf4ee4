import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedNode, echoResult, sendJson, startScriptedNode } from './scripted-node.ts';
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

test('a request reaches the node as the bytes that came', async () => {
  const body = ' { "params" : [ ] ,"method":"getSlot",\n"jsonrpc":"2.0", "id" : 18446744073709551615 }\t';
  await post(gateway.rpcUrl, body);
  expect(node.seen.map((request) => request.body)).toEqual([body]);
});

test('a reply comes back as the bytes that the node sent', async () => {
  const reply =
    '{ "id":1,"jsonrpc":"2.0","result":{"rentEpoch":18446744073709551615,"x":1.0e0,"y":"\\u00e9"}}\n\n';
  node.play((response) => sendJson(response, reply));
  const response = await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
  expect(await response.text()).toBe(reply);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
});

test('a large reply is streamed: its beginning arrives before the node has finished', async () => {
  const head = `{"jsonrpc":"2.0","result":"${'x'.repeat(300_000)}`;
  const finish = Promise.withResolvers<void>();
  node.play((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(head);
    void finish.promise.then(() => response.end('","id":1}'));
  });
  const response = await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(first?.value?.length).toBeGreaterThan(0);
  finish.resolve();
  let sizeBytes = first?.value?.length ?? 0;
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    sizeBytes += part.value.length;
  expect(sizeBytes).toBe(head.length + '","id":1}'.length);
});

test('a large reply that is there as a whole before anybody reads it is sent as a whole', async () => {
  const [head, tail] = [`{"jsonrpc":"2.0","result":"${'x'.repeat(60_000)}`, `${'y'.repeat(20_000)}","id":1}`];
  node.play((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(head);
    setTimeout(() => response.end(tail), 50);
  });
  const call = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
  const ask = async (body: string, headers: Record<string, string> = {}) => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const [response] = await once(request(gateway.rpcUrl, options).end(body), 'response');
    return await text(response);
  };
  expect(await ask(call, { connection: 'keep-alive' })).toBe(head + tail);
  expect(await ask(call, { connection: 'close' })).toBe(head + tail);
  expect(await ask(`[${call}]`)).toBe(`[${head}${tail}]\n`);
});

test('a client that does not read stops the node from sending', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const total = 400;
  let written = 0;
  const blocked = Promise.withResolvers<void>();
  node.play((response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .write('{"jsonrpc":"2.0","id":1,"result":"');
    const pump = (): void => {
      while (written < total) {
        written++;
        if (!response.write(chunk)) {
          const stalled = setTimeout(blocked.resolve, 300);
          response.once('drain', () => {
            clearTimeout(stalled);
            pump();
          });
          return;
        }
      }
      response.end('"}');
    };
    pump();
  });
  const response = await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
  await blocked.promise;
  expect(written).toBeLessThan(total);
  expect((await response.arrayBuffer()).byteLength).toBe(total * chunk.length + 36);
});

test('nothing of the node but its body reaches the client', async () => {
  node.play((response, seen, attempt) => {
    response
      .setHeader('server', 'secret-node/1.0')
      .setHeader('x-upstream', '10.1.2.3')
      .setHeader('set-cookie', 'a=b');
    echoResult('5')(response, seen, attempt);
  });
  const { headers } = await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
  const names = [...headers.keys()].sort();
  expect(names).toEqual([
    'access-control-allow-origin',
    'cache-control',
    'connection',
    'content-length',
    'content-type',
    'date',
    'keep-alive',
    'ratelimit',
    'ratelimit-policy',
    'x-request-id',
  ]);
});

test('nothing of the client but its body reaches the node', async () => {
  await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":1,"method":"getSlot"}', {
    cookie: 'a=b',
    'x-api-key': 'ks_key_test',
    'user-agent': 'me',
  });
  const [request] = node.seen;
  expect(request?.url).toBe('/rpc?token=node-secret');
  expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
    'accept',
    'connection',
    'content-length',
    'content-type',
    'host',
  ]);
});
