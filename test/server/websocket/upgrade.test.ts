import { afterEach, beforeEach, expect, test } from 'vitest';
import { compileRules } from '../../../src/account/identity/api-keys/key-rules.ts';
import { askForSocket, openSocket } from '../../support/socket-client.ts';
import { type ScriptedNode, startScriptedNode } from '../scripted-node.ts';
import { type Gateway, type GatewayOptions, KEY, post, RPC_PATH, startGateway } from '../start-gateway.ts';

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

async function refusal(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const { status, body } = await askForSocket(url, headers);
  return [status, JSON.parse(body).error.code];
}

test('a key in the query or in the header opens a WebSocket', async () => {
  const { wsUrl } = await start();
  const byQuery = await openSocket(wsUrl);
  const byHeader = await openSocket(wsUrl.replace(/\?.*/, ''), { headers: { 'x-api-key': KEY } });
  expect((await byQuery.call('getSlot')).result).toBe(1);
  expect((await byHeader.call('getSlot')).result).toBe(1);
});

test.each([
  ['no key', '', 401, -32040],
  ['an unknown key', '?apikey=ks_key_other', 401, -32041],
  ['an access token', '?apikey=ks_tok_other', 401, -32041],
  ['a revoked key', '?apikey=ks_key_old', 401, -32042],
  ['a rotated key', '?apikey=ks_key_rotated', 401, -32063],
])('with %s the upgrade is refused as over HTTP', async (_, query, status, code) => {
  const { wsUrl } = await start();
  expect(await refusal(wsUrl.replace(/\?.*/, query))).toEqual([status, code]);
});

test('the refusal of an upgrade is the body that a POST gets', async () => {
  const gateway = await start();
  const http = await post(`${gateway.baseUrl}${RPC_PATH}`, '{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
  const { body } = await askForSocket(gateway.wsUrl.replace(/\?.*/, ''));
  expect(body).toBe(await http.text());
});

test('another path is not found, and named in the answer is the one that is served', async () => {
  const { wsUrl } = await start();
  const { status, body } = await askForSocket(wsUrl.replace(RPC_PATH, '/other'));
  expect([status, body]).toEqual([404, expect.stringContaining(RPC_PATH)]);
});

test('a key with origins and networks opens a WebSocket from there only', async () => {
  const checkSource = compileRules({ origins: ['https://a.example'], cidrs: ['127.0.0.0/8'] });
  const far = compileRules({ origins: [], cidrs: ['203.0.113.0/24'] });
  const { wsUrl } = await start({
    keys: {
      find: (presented) => ({
        kind: 'valid',
        keyId: 'k',
        accountId: 'a',
        checkSource: presented === 'ks_key_far' ? far : checkSource,
      }),
    },
  });
  await openSocket(wsUrl, { origin: 'https://a.example' });
  expect(await refusal(wsUrl, { origin: 'https://b.example' })).toEqual([403, -32067]);
  expect(await refusal(wsUrl)).toEqual([403, -32067]);
  expect(await refusal(wsUrl.replace(KEY, 'ks_key_far'))).toEqual([403, -32068]);
});

test('pages of origins that may not call are refused', async () => {
  const { wsUrl } = await start({ corsOrigins: ['https://a.example'] });
  await openSocket(wsUrl, { origin: 'https://a.example' });
  await openSocket(wsUrl);
  expect(await refusal(wsUrl, { origin: 'https://b.example' })).toEqual([403, -32099]);
});

test.each([
  ['no key of the handshake', { 'sec-websocket-key': 'short' }],
  ['another version', { 'sec-websocket-version': '7' }],
])('a request with %s is no upgrade', async (_, headers) => {
  const { wsUrl } = await start();
  expect(await refusal(wsUrl, headers)).toEqual([400, -32098]);
});

test('a POST that offers another protocol is answered as a POST', async () => {
  const { rpcUrl } = await start();
  const response = await new Promise<number | undefined>((resolve, reject) => {
    void import('node:http').then(({ request }) => {
      const headers = {
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'content-type': 'application/json',
      };
      const asked = request(rpcUrl, { method: 'POST', headers }, ({ statusCode }) => resolve(statusCode));
      asked.once('error', reject).end('{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
    });
  });
  expect(response).toBe(200);
});

test('the connections of a key are limited, and so are those of the server', async () => {
  const { wsUrl } = await start({ sockets: { maxSocketsPerKey: 2 } });
  const [first] = [await openSocket(wsUrl), await openSocket(wsUrl)];
  const { status, body } = await askForSocket(wsUrl);
  expect([status, JSON.parse(body).error]).toMatchObject([
    429,
    { code: -32078, data: { limit: 2, value: 2 } },
  ]);
  first.close();
  await first.closed;
  await openSocket(wsUrl);
  const { wsUrl: small } = await start({ sockets: { maxSockets: 1 } });
  await openSocket(small);
  expect(await refusal(small)).toEqual([503, -32079]);
});

test('a refused upgrade is counted, and no key is in the answer', async () => {
  const { wsUrl, metrics } = await start();
  const { body } = await askForSocket(wsUrl.replace(KEY, 'ks_key_secret'));
  expect(body).not.toContain('ks_key_secret');
  expect(await metrics.registry.metrics()).toContain('keyslot_http_refusals_total{error="apiKeyUnknown"} 1');
});
