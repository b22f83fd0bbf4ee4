import { Agent, request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { ConnectionsOptions } from '../../src/server/connections/connections.ts';
import { openSocket } from '../support/socket-client.ts';
import { openIdleClients } from '../support/idle-clients.ts';
import { echoResult, type ScriptedNode, startScriptedNode } from '../server/scripted-node.ts';
import { CERT, KEY as TLS_KEY } from '../server/self-signed.ts';
import {
  type Gateway,
  type GatewayOptions,
  KEY,
  post,
  readReply,
  RPC_PATH,
  startGateway,
} from '../server/start-gateway.ts';

const CALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
const STRANGERS = 2_000;
const OTHER_ADDRESS = '127.0.0.2';

let node: ScriptedNode;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  node = await startScriptedNode();
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await node.close();
});

async function start(
  bounds: Partial<ConnectionsOptions>,
  options: Partial<GatewayOptions> = {},
): Promise<Gateway & { readonly port: number }> {
  const gateway = await startGateway({ nodeUrls: [node.url], bounds, ...options });
  closing.push(() => gateway.close());
  return { ...gateway, port: Number(new URL(gateway.baseUrl).port) };
}

/** Calls over one connection that is kept. */
function keptClient({ port }: { readonly port: number }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const path = `${RPC_PATH}?apikey=${KEY}`;
  return () =>
    new Promise<{ readonly status: number; readonly port: number | undefined }>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': CALL.length };
      const asked = request({ host: '127.0.0.1', port, path, agent, headers, method: 'POST' }, (response) => {
        const { localPort } = response.socket;
        response.resume().once('end', () => resolve({ status: response.statusCode ?? 0, port: localPort }));
      });
      asked.once('error', reject).end(CALL);
    });
}

test.each([
  ['say nothing', ''],
  ['send half a head', 'POST / HTTP/1.1\r\nhost: x\r\n'],
])('2,000 that %s make room, and are told so', async (_what, says) => {
  const gateway = await start({ maxConnections: 100 });
  const strangers = await openIdleClients(gateway.port, STRANGERS, { sends: says });
  expect((await post(gateway.rpcUrl, CALL)).status).toBe(200);
  const [first] = strangers;
  const answer = await first?.received;
  expect(answer).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*-32079.*"scope":"server"/s);
});

test('those of one address make room among themselves; an idle client at another stays', async () => {
  const gateway = await start({ maxConnections: 200, maxPerAddress: 50 });
  const call = keptClient(gateway);
  const { port } = await call();
  await openIdleClients(gateway.port, STRANGERS, { from: OTHER_ADDRESS });
  expect(await call()).toEqual({ status: 200, port });
});

test('those of many addresses make room in the order in which they fell silent', async () => {
  const gateway = await start({ maxConnections: 3 });
  const [first, second] = await openIdleClients(gateway.port, 3);
  expect((await post(gateway.rpcUrl, CALL)).status).toBe(200);
  expect(await first?.received).toContain('503');
  expect(second?.socket.destroyed).toBe(false);
});

test('over TLS too, whether they shake hands or not', async () => {
  const tls = { cert: Buffer.from(CERT), key: Buffer.from(TLS_KEY) };
  const gateway = await start({ maxConnections: 50 }, { tls });
  await openIdleClients(gateway.port, 500);
  const answer = await new Promise<unknown>((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const path = `${RPC_PATH}?apikey=${KEY}`;
    const where = { host: '127.0.0.1', port: gateway.port, path, ca: CERT, agent: false as const };
    tlsRequest({ ...where, method: 'POST', headers }, (response) => resolve(json(response)))
      .once('error', reject)
      .end(CALL);
  });
  expect(answer).toMatchObject({ result: 1 });
});

/** Holds calls at the node until they are let go. */
function holdCalls(count: number) {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let held = 0;
  node.play((response, seen, attempt) => {
    held++;
    if (held === count) arrived.resolve();
    void released.promise.then(() => echoResult('9')(response, seen, attempt));
  });
  return { arrived: arrived.promise, release: released.resolve };
}

test('a WebSocket without a subscription makes room, with a close code', async () => {
  const gateway = await start({ maxConnections: 2 });
  const idle = await openSocket(gateway.wsUrl);
  await idle.call('getSlot');
  const other = await openSocket(gateway.wsUrl);
  await other.call('getSlot');
  expect((await post(gateway.rpcUrl, CALL)).status).toBe(200);
  expect(await idle.closed).toEqual({
    code: 1013,
    reason: 'the server has reached its limit of 2 connections',
  });
  other.close();
});

test('the WebSocket connections of a key are not counted for their address', async () => {
  const gateway = await start({ maxPerAddress: 4 });
  const sockets = await Promise.all(Array.from({ length: 4 }, () => openSocket(gateway.wsUrl)));
  const more = await openSocket(gateway.wsUrl);
  for (const socket of [...sockets, more]) expect((await socket.call('getSlot')).result).toBe(1);
  for (const socket of [...sockets, more]) socket.close();
});

test('an address that is exempt has no bound of its own', async () => {
  const gateway = await start({ maxPerAddress: 4, isExempt: (address) => address === OTHER_ADDRESS });
  const strangers = await openIdleClients(gateway.port, 20, { from: OTHER_ADDRESS });
  expect((await post(gateway.rpcUrl, CALL)).status).toBe(200);
  expect(strangers.filter(({ socket }) => socket.destroyed || socket.readableEnded)).toEqual([]);
});

test('what is under way is finished, and a connection too many is refused until then', async () => {
  const gateway = await start({ maxConnections: 4 });
  const { arrived, release } = holdCalls(4);
  const answers = Array.from({ length: 4 }, () => post(gateway.rpcUrl, CALL));
  await arrived;
  const refused = await post(gateway.rpcUrl, CALL);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await readReply(refused)).error).toEqual({
    code: -32079,
    message: 'The server has reached its limit of 4 connections; try again in 1 s',
    data: { scope: 'server', limit: 4, retryAfterSeconds: 1 },
  });
  release();
  for (const answer of answers) expect((await answer).status).toBe(200);
});
