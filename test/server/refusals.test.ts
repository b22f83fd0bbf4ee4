import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, KEY, post, RPC_PATH, readReply, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeAll(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], requestTimeoutMs: 300 });
});

afterAll(async () => {
  await gateway.close();
  await node.close();
});

const BODY = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
const errorOf = async (response: Response): Promise<unknown> => [
  response.status,
  (await readReply(response)).error.code,
];

test.each([
  ['no key', '', -32040],
  ['an empty key', '?apikey=', -32040],
  ['an unknown key', '?apikey=ks_key_wrong', -32041],
  ['a revoked key', '?apikey=ks_key_old', -32042],
  ['a rotated key after its overlap', '?apikey=ks_key_rotated', -32063],
])('%s is answered with 401 and an error body, and reaches no node', async (_name, query, code) => {
  const before = node.seen.length;
  const response = await post(`${gateway.baseUrl}${RPC_PATH}${query}`, BODY);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null });
  expect(node.seen).toHaveLength(before);
});

test.each([
  ['in the query', (token: string) => post(`${gateway.baseUrl}${RPC_PATH}?apikey=${token}`, BODY)],
  ['in the header', (token: string) => post(`${gateway.baseUrl}${RPC_PATH}`, BODY, { 'x-api-key': token })],
])('an access token %s is told to be one, and where it belongs', async (_, send) => {
  const response = await send('ks_tok_secret');
  const text = await response.text();
  expect([response.status, text]).toEqual([401, expect.stringContaining('"code":-32041')]);
  expect(text).toMatch(/This is an access token, not an API key.*X-Api-Key.*Authorization of \/v1/);
  expect(text).not.toContain('secret');
});

test('the key may stand among other parameters, escaped, or in X-Api-Key', async () => {
  const escaped = `${gateway.baseUrl}${RPC_PATH}?a=1&apikey=${KEY.replace('_', '%5F')}&b=2`;
  expect((await post(escaped, BODY)).status).toBe(200);
  expect((await post(`${gateway.baseUrl}${RPC_PATH}`, BODY, { 'x-api-key': KEY })).status).toBe(200);
});

test('the key is checked before the body has come', async () => {
  const request = httpRequest(`${gateway.baseUrl}${RPC_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '1000' },
  });
  request.on('error', () => undefined).write('{');
  const status = await new Promise((resolve) =>
    request.once('response', ({ statusCode }) => resolve(statusCode)),
  );
  request.destroy();
  expect(status).toBe(401);
});

test('what is wrong is told in the order path, HTTP method, key, content type', async () => {
  const { baseUrl } = gateway;
  expect(await errorOf(await fetch(`${baseUrl}/nowhere`))).toEqual([404, -32043]);
  expect(await errorOf(await fetch(`${baseUrl}${RPC_PATH}`))).toEqual([405, -32044]);
  const plain = { 'content-type': 'text/plain' };
  expect(await errorOf(await post(`${baseUrl}${RPC_PATH}`, BODY, plain))).toEqual([401, -32040]);
  expect(await errorOf(await post(gateway.rpcUrl, BODY, plain))).toEqual([415, -32047]);
});

test('another HTTP method is told which ones are allowed, in the words of a node', async () => {
  const response = await fetch(gateway.rpcUrl, { method: 'PUT', body: BODY });
  expect(response.headers.get('allow')).toBe('POST, OPTIONS');
  expect((await readReply(response)).error.message).toBe(
    'Used HTTP Method is not allowed. POST or OPTIONS is required',
  );
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
  'the content type %s passes',
  async (type) => {
    expect((await post(gateway.rpcUrl, BODY, { 'content-type': type })).status).toBe(200);
  },
);

test.each([
  'text/plain',
  'application/jsonx',
  'application/json; charset=latin1',
  'application/x-www-form-urlencoded',
])('the content type %s is refused in the words of a node', async (type) => {
  const response = await post(gateway.rpcUrl, BODY, { 'content-type': type });
  expect(response.status).toBe(415);
  const message = 'Supplied content type is not allowed. Content-Type: application/json is required';
  expect((await readReply(response)).error.message).toBe(message);
});

const READERS = ['with its length', 'in chunks'] as const;
const sendEncoded = (how: (typeof READERS)[number], encoding: string, body: Uint8Array<ArrayBuffer>) => {
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
  const init = { method: 'POST', headers, body: how === 'in chunks' ? new Blob([body]).stream() : body };
  return fetch(gateway.rpcUrl, { ...init, duplex: 'half' } as RequestInit);
};

test.each(READERS)('a compressed body is refused, and a known encoding named (%s)', async (how) => {
  for (const encoding of [
    'gzip',
    'deflate',
    'br',
    'zstd',
    'GZIP',
    'gzip, identity',
    'a secret',
    'x'.repeat(900),
  ]) {
    const response = await sendEncoded(how, encoding, new Uint8Array(gzipSync(BODY)));
    expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    const shown = /secret|xx/.test(encoding) ? 'unknown' : encoding;
    expect((await readReply(response)).error).toMatchObject({
      code: -32047,
      data: { encoding: shown },
      message: expect.stringContaining(`content encoding ${shown} is not allowed`),
    });
  }
});

test.each(READERS)('a body that says that it is not encoded passes (%s)', async (how) => {
  for (const encoding of ['identity', 'Identity', ''])
    expect((await sendEncoded(how, encoding, new TextEncoder().encode(BODY))).status).toBe(200);
});

test.each(['with its length', 'in chunks'])(
  'a body of the limit passes, one byte more is refused (%s)',
  async (how) => {
    const sized = (sizeBytes: number): string => BODY.padEnd(sizeBytes, ' ');
    const send = async (body: string): Promise<Response> => {
      if (how === 'with its length') return post(gateway.rpcUrl, body);
      const stream = new Blob([body]).stream();
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: stream,
        duplex: 'half' as const,
      };
      return fetch(gateway.rpcUrl, init);
    };
    expect((await send(sized(51_200))).status).toBe(200);
    const refused = await send(sized(51_201));
    expect(refused.status).toBe(413);
    expect((await readReply(refused)).error).toMatchObject({ code: -32046, data: { limit: 51_200 } });
  },
);

test('a body that does not arrive in time is answered with 408', async () => {
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  const head = [
    `POST ${RPC_PATH}?apikey=${KEY} HTTP/1.1`,
    'host: x',
    'content-type: application/json',
    'content-length: 99',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{`);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"code":-32045');
});

test('what is no HTTP is answered with 400 and a closed connection', async () => {
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  socket.write('hello\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
});
