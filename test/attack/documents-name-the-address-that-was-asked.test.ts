import { get, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedNode, startScriptedNode } from '../server/scripted-node.ts';
import { type Gateway, type GatewayOptions, KEY, RPC_PATH, startGateway } from '../server/start-gateway.ts';
import { openSocket } from '../support/socket-client.ts';

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

type Document = { readonly servers: readonly { readonly name: string; readonly url: string }[] };

/** The document for a client that asks under a name, and its Cache-Control. */
async function read({ baseUrl }: Gateway, headers: OutgoingHttpHeaders) {
  const answer = await new Promise<{ body: string; cacheControl: string | undefined }>((resolve, reject) => {
    get(`${baseUrl}/openrpc.json`, { headers }, async (response) =>
      resolve({ body: await text(response), cacheControl: response.headers['cache-control'] }),
    ).once('error', reject);
  });
  const { servers } = JSON.parse(answer.body) as Document;
  return { ...answer, urls: servers.map(({ url }) => url) };
}

/** The same by `rpc.discover`; `body` may be a batch. */
async function discover({ baseUrl }: Gateway, headers: OutgoingHttpHeaders, isBatch = false) {
  const call = '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}';
  const answer = await new Promise<string>((resolve, reject) => {
    request(
      `${baseUrl}${RPC_PATH}?apikey=${KEY}`,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (response) => resolve(text(response)),
    )
      .once('error', reject)
      .end(isBatch ? `[${call}]` : call);
  });
  const [reply] = [JSON.parse(answer)].flat() as readonly { readonly result: Document }[];
  return reply?.result.servers.map(({ url }) => url);
}

const at = (base: string): readonly string[] => [`${base}${RPC_PATH}?apikey={apikey}`];

test.each([
  ['node.example', 'http://node.example'],
  ['node.example:8443', 'http://node.example:8443'],
  ['192.0.2.7:80', 'http://192.0.2.7:80'],
  ['[2001:db8::7]:8080', 'http://[2001:db8::7]:8080'],
  ['key_slot:8080', 'http://key_slot:8080'],
])('a client that asks %s is told %s', async (host, base) => {
  const gateway = await start();
  expect((await read(gateway, { host })).urls).toEqual(at(base));
  expect(await discover(gateway, { host })).toEqual(at(base));
  expect(await discover(gateway, { host }, true)).toEqual(at(base));
});

test.each([
  'evil.example/path',
  'user@evil.example',
  'evil.example"><script>',
  'evil.example:99999',
  'evil.example:80:80',
  '[::1',
  '[1.2.3]',
  '-evil.example',
  'evil..example',
  'evil example',
  'e'.repeat(300),
])('what cannot be a host is repeated to nobody: %s', async (host) => {
  const gateway = await start();
  const { body, urls } = await read(gateway, { host });
  expect(urls).toEqual(at(gateway.baseUrl));
  expect(body).not.toContain(host);
  expect(await discover(gateway, { host })).toEqual(at(gateway.baseUrl));
});

test('a name that one client has asked is never told to another, cache or not', async () => {
  const gateway = await start({ cacheBytes: 1024 * 1024 });
  for (let round = 0; round < 2; round++) {
    expect(await discover(gateway, { host: 'evil.example' })).toEqual(at('http://evil.example'));
    expect(await discover(gateway, { host: 'node.example' })).toEqual(at('http://node.example'));
  }
  const { cacheControl, body } = await read(gateway, { host: 'node.example' });
  expect([cacheControl, body.includes('evil.example')]).toEqual(['no-store', false]);
});

test('without a proxy no client is believed that claims to be one', async () => {
  const gateway = await start();
  const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil' };
  expect((await read(gateway, forged)).urls).toEqual(at(gateway.baseUrl));
});

test('behind a proxy its own words count: the last name, and TLS if any proxy had it', async () => {
  const gateway = await start({ isBehindProxy: true });
  const host = 'inner:8080';
  expect((await read(gateway, { host })).urls).toEqual(at('https://inner:8080'));
  const plain = { host, 'x-forwarded-host': 'node.example', 'x-forwarded-proto': 'http' };
  expect((await read(gateway, plain)).urls).toEqual(at('http://node.example'));
  const appended = {
    host,
    'x-forwarded-host': 'evil.example, node.example',
    'x-forwarded-proto': 'http, https',
  };
  expect((await read(gateway, appended)).urls).toEqual(at('https://node.example'));
  expect(await discover(gateway, appended)).toEqual(at('https://node.example'));
});

test('the public address of the configuration goes before whatever was asked', async () => {
  const gateway = await start({ publicUrl: 'https://node.example/ledger', isBehindProxy: true });
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  expect((await read(gateway, headers)).urls).toEqual(at('https://node.example/ledger'));
  expect(await discover(gateway, headers)).toEqual(at('https://node.example/ledger'));
});

test('over a WebSocket the address is that of the WebSocket', async () => {
  const { wsUrl, baseUrl } = await start();
  const client = await openSocket(wsUrl);
  const { result } = await client.call('rpc.discover');
  const [server] = (result as Document).servers;
  expect([server?.url]).toEqual(at(baseUrl.replace('http', 'ws')));
});
