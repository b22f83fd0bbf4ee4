import { afterAll, beforeAll, expect, test } from 'vitest';
import { askForSocket, openSocket } from '../support/socket-client.ts';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, readReply, RPC_PATH, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeAll(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], corsOrigins: ['https://app.example'] });
});

afterAll(async () => {
  await gateway.close();
  await node.close();
});

const withSlashes = (url: string, slashes: string): string => url.replace(RPC_PATH, `${RPC_PATH}${slashes}`);
const call = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method });
/** node:http reads what is sent in chunks. */
const inChunks = (url: string, body: string): Promise<Response> => {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: new Blob([body]).stream(), duplex: 'half' } as RequestInit;
  return fetch(url, init);
};

test.each([
  ['with its length', post],
  ['in chunks', inChunks],
])('a slash at the end of the path does not count, over HTTP (%s)', async (_, send) => {
  const url = withSlashes(gateway.rpcUrl, '/');
  expect((await readReply(await send(url, call('getSlot')))).result).toBe(1);
  const { servers } = (await readReply(await send(url, call('rpc.discover')))).result as { servers: unknown };
  expect(servers).toEqual([
    expect.objectContaining({ url: `${gateway.baseUrl}${RPC_PATH}?apikey={apikey}` }),
  ]);
  expect((await send(withSlashes(`${gateway.baseUrl}${RPC_PATH}`, '/'), call('getSlot'))).status).toBe(401);
  expect((await send(withSlashes(gateway.rpcUrl, '//'), call('getSlot'))).status).toBe(404);
});

test('pages may ask for that path too', async () => {
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
  const preflight = await fetch(withSlashes(gateway.rpcUrl, '/'), { method: 'OPTIONS', headers });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
    ...[200, 'https://app.example'],
  ]);
});

test('nor does a slash over WebSocket', async () => {
  const socket = await openSocket(withSlashes(gateway.wsUrl, '/'));
  expect((await socket.call('getSlot')).result).toBe(1);
  expect((await socket.call('rpc.discover')).result).toMatchObject({
    servers: [{ url: `${gateway.baseUrl.replace('http', 'ws')}${RPC_PATH}?apikey={apikey}` }],
  });
  expect((await askForSocket(withSlashes(gateway.wsUrl, '//'))).status).toBe(404);
});
