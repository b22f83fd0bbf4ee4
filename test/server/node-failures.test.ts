import { afterEach, beforeEach, expect, test } from 'vitest';
import { echoResult, type Script, type ScriptedNode, sendJson, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, readReply, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], responseTimeoutMs: 300, bodyTimeoutMs: 300 });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

const READ = '{"jsonrpc":"2.0","id":7,"method":"getSlot"}';
const AIRDROP =
  '{"jsonrpc":"2.0","id":7,"method":"requestAirdrop","params":["83astBRguLMdt2h5U1Tpdq5tjFoJ6noeGwaY3mDLVcri",1]}';
const SIGNED = Buffer.concat([Buffer.from([1]), Buffer.alloc(64, 7), Buffer.alloc(100, 1)]).toString(
  'base64',
);
const SEND = `{"jsonrpc":"2.0","id":7,"method":"sendTransaction","params":["${SIGNED}",{"encoding":"base64"}]}`;

const breakConnection: Script = (response) => response.destroy();

async function expectError(body: string, status: number, code: number): Promise<void> {
  const response = await post(gateway.rpcUrl, body);
  const { error, id } = await readReply(response);
  expect([response.status, error.code, id]).toEqual([status, code, 7]);
  expect(error.message).not.toMatch(/127\.0\.0\.1|secret|ECONN|UND_/);
}

test('a read whose connection breaks is sent once more', async () => {
  node.play((response, seen, attempt) =>
    attempt === 1 ? response.destroy() : echoResult('3')(response, seen, attempt),
  );
  expect(await (await post(gateway.rpcUrl, READ)).json()).toMatchObject({ result: 3 });
  expect(node.seen).toHaveLength(2);
});

test('a read is sent once more only: then 502', async () => {
  node.play(breakConnection);
  await expectError(READ, 502, -32050);
  expect(node.seen).toHaveLength(2);
});

test.each([
  ['sendTransaction', SEND],
  ['requestAirdrop', AIRDROP],
])('%s is never sent twice', async (_method, body) => {
  node.play(breakConnection);
  await expectError(body, 502, -32050);
  expect(node.seen).toHaveLength(1);
});

test('a connection that breaks in the middle of a small answer is retried like one before it', async () => {
  node.play((response, seen, attempt) => {
    if (attempt > 1) return echoResult('3')(response, seen, attempt);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"jsonrpc":"2.0",', () => response.destroy());
  });
  expect(await (await post(gateway.rpcUrl, READ)).json()).toMatchObject({ result: 3 });
});

test.each<[string, Script]>([
  [
    'an error status',
    (response) => response.writeHead(500, { 'content-type': 'application/json' }).end('{}'),
  ],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end()],
  [
    'an error page',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>secret</h1>'),
  ],
  ['no content type', (response) => response.writeHead(200).end('{"jsonrpc":"2.0","result":1,"id":7}')],
  ['an empty body', (response) => sendJson(response, '')],
  ['a body that is no object', (response) => sendJson(response, '[1]')],
  ['an object that is no reply', (response) => sendJson(response, '{"secret":1}')],
  ['a reply with result and error', (response) => sendJson(response, '{"result":1,"error":{},"id":7}')],
  ['a reply that was cut off', (response) => sendJson(response, '{"jsonrpc":"2.0","id":7,"result":{"a":1}')],
  [
    'a reply with something after it',
    (response) => sendJson(response, '{"jsonrpc":"2.0","id":7,"result":1}x'),
  ],
  ['a reply to another call', (response) => sendJson(response, '{"jsonrpc":"2.0","id":8,"result":1}')],
  [
    'a compressed body',
    (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end('{"x":1}'),
  ],
])('%s is answered with 502, once, and nothing of it comes through', async (_name, script) => {
  node.play(script);
  await expectError(READ, 502, -32050);
  expect(node.seen).toHaveLength(1);
});

test('a call that is larger than the node takes is answered with 413, once', async () => {
  node.play((response) => response.writeHead(413, { 'content-type': 'text/plain' }).end());
  await expectError(READ, 413, -32046);
  expect(node.seen).toHaveLength(1);
  const batch = await (await post(gateway.rpcUrl, `[${READ}]`)).json();
  expect(batch).toMatchObject([{ error: { code: -32046 }, id: 7 }]);
});

test('a rate limit of the node is answered with 429, which clients wait and try again on', async () => {
  node.play((response) => response.writeHead(429, { 'content-type': 'application/json' }).end('{"id":7}'));
  await expectError(READ, 429, -32053);
  expect(node.seen).toHaveLength(1);
});

test('a node that answers nothing is answered for with 504, once', async () => {
  node.play(() => undefined);
  const response = await post(gateway.rpcUrl, READ);
  expect(response.status).toBe(504);
  expect((await readReply(response)).error).toMatchObject({ code: -32052, data: { limitMs: 300 } });
  expect(node.seen).toHaveLength(1);
});

test('a node that stops in the middle of a small answer is answered for with 504', async () => {
  node.play((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":'),
  );
  await expectError(READ, 504, -32052);
});

test('a large answer that breaks off ends the connection, so that nobody takes it for whole', async () => {
  node.play((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(200_000)}`, () => response.destroy());
  });
  const response = await post(gateway.rpcUrl, READ);
  await expect(response.text()).rejects.toThrow();
  const counted = 'keyslot_upstream_errors_total{network="solana-localnet",error="upstreamBroken"} 1';
  await expect.poll(() => gateway.metrics.registry.metrics()).toContain(counted);
});

test('a large answer that stalls ends the connection', async () => {
  node.play((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(200_000)}`);
  });
  const response = await post(gateway.rpcUrl, READ);
  await expect(response.text()).rejects.toThrow();
});

test('a node that cannot be reached is answered for with 503', async () => {
  await gateway.close();
  // A port that the system gives to nobody: one that was free a moment ago may be another test's by now.
  gateway = await startGateway({ nodeUrls: ['http://127.0.0.1:1/?token=secret'] });
  await expectError(READ, 503, -32051);
});

test('a node error keeps its words and its status 200', async () => {
  const reply =
    '{"jsonrpc":"2.0","error":{"code":-32004,"message":"Block not available for slot 5"},"id":7}\n';
  node.play((response) => sendJson(response, reply));
  const response = await post(gateway.rpcUrl, READ);
  expect([response.status, await response.text()]).toEqual([200, reply]);
});

test('of two nodes one that is gone is passed over', async () => {
  const gone = await startScriptedNode();
  await gone.close();
  await gateway.close();
  gateway = await startGateway({ nodeUrls: [gone.url, node.url] });
  for (let id = 0; id < 4; id++) expect((await post(gateway.rpcUrl, READ)).status).toBe(200);
  expect(node.seen).toHaveLength(4);
});

test('of two nodes one that limits the rate is passed over, also by what is never sent twice', async () => {
  const busy = await startScriptedNode((response) => response.writeHead(429).end());
  await gateway.close();
  gateway = await startGateway({ nodeUrls: [busy.url, node.url] });
  for (const body of [SEND, AIRDROP, READ, READ]) expect((await post(gateway.rpcUrl, body)).status).toBe(200);
  expect(node.seen).toHaveLength(4);
  await busy.close();
});
