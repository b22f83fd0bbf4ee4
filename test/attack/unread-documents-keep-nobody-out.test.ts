import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { openrpcDocument, openrpcParts } from '../../src/gateway/ledger/openrpc-document.ts';
import { Connections } from '../../src/server/connections/connections.ts';
import { startHttpServer } from '../../src/server/http/http-server.ts';
import { markAdmitted } from '../../src/server/http/request-tracker.ts';
import { startGateway } from '../server/start-gateway.ts';
import { echoResult, startScriptedNode } from '../server/scripted-node.ts';

// A connection was in use for as long as a stranger did not take a document: two addresses kept everybody else out.

const PLACES = 10;
const LARGE = Buffer.alloc(8 * 1024 * 1024, 'x');

async function open(port: number, sent: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).pause();
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(sent);
  return socket;
}

/** Answers with more than the system takes, on a server with few places. @param isAdmitted the callers have valid keys. */
async function startLarge(isAdmitted: boolean) {
  const served: (() => boolean)[] = [];
  const connections = new Connections({ maxConnections: PLACES, maxPerAddress: PLACES });
  onTestFinished(() => connections.close());
  type Response = Parameters<typeof markAdmitted>[0];
  const answer = async (response: Response): Promise<void> => {
    if (isAdmitted) markAdmitted(response);
    response.writeHead(200, { 'content-length': String(LARGE.length) });
    response.end(LARGE);
    served.push(() => !response.destroyed && !response.writableFinished);
  };
  const server = await startHttpServer(
    {
      handle: (_request, response) => answer(response),
      servesPlain: () => true,
      handlePlain: (_request, response) => answer(response),
    },
    {
      host: '127.0.0.1',
      port: 0,
      portSetting: 'http.port',
      requestTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      connections,
    },
  );
  onTestFinished(() => server.close(0));
  return { port: server.port, countHeld: () => served.filter((isHeld) => isHeld()).length };
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

test.each([
  ['a document', GET],
  ['documents, one after the other', GET.repeat(8)],
  ['a plain request', POST],
])('strangers that do not take the answer to %s make room at once', async (_, sent) => {
  const { port, countHeld } = await startLarge(false);
  for (let opened = 0; opened < PLACES; opened++) await open(port, sent);
  await eventually('all are answered', () => countHeld() === PLACES || undefined);
  const [head] = await once((await open(port, GET)).resume(), 'data');
  expect(String(head)).toMatch(/^HTTP\/1\.1 200 /);
  expect(countHeld()).toBe(PLACES);
});

test.each([
  ['node:http', GET],
  ['the plain lane', POST],
])('a caller with a key that takes an answer slowly keeps its connection, in %s', async (_, sent) => {
  const { port, countHeld } = await startLarge(true);
  for (let opened = 0; opened < PLACES; opened++) await open(port, sent);
  await eventually('all are answered', () => countHeld() === PLACES || undefined);
  const [head] = await once((await open(port, GET)).resume(), 'data');
  expect(String(head)).toMatch(/^HTTP\/1\.1 503 /);
  expect(countHeld()).toBe(PLACES);
});

test('however many ask for the description of JSON-RPC, it is kept once', () => {
  const addresses = ['https://a.example/solana-mainnet'];
  const [own, other] = [openrpcParts(addresses), openrpcParts(['https://b.example/solana-mainnet'])];
  expect(Buffer.concat(own).toString()).toBe(openrpcDocument(addresses));
  const bytes = own.reduce((sum, { length }, at) => sum + (own[at] === other[at] ? 0 : length), 0);
  expect(bytes).toBeLessThan(1_024);
});

test('a page is no larger than its path is deep, up to 16 slashes', async () => {
  const gateway = await startGateway({ nodeUrls: [] });
  onTestFinished(() => gateway.close());
  const statusOf = async (slashes: number): Promise<number> =>
    (await fetch(`${gateway.baseUrl}/dashboard${'/'.repeat(slashes - 1)}`)).status;
  expect([await statusOf(16), await statusOf(17), await statusOf(15_000)]).toEqual([200, 404, 404]);
});

test('public documents that nobody takes keep no caller out of the gateway', async () => {
  const node = await startScriptedNode();
  onTestFinished(() => node.close());
  node.play(echoResult('1'));
  const bounds = { maxConnections: PLACES, maxPerAddress: PLACES };
  const gateway = await startGateway({ nodeUrls: [node.url], bounds });
  onTestFinished(() => gateway.close());
  const port = Number(new URL(gateway.baseUrl).port);
  const unread = 'GET /openrpc.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100);
  for (let opened = 0; opened < PLACES; opened++) {
    const stranger = await open(port, unread);
    await once(stranger.resume(), 'data');
    stranger.pause();
  }
  for (let asked = 0; asked < PLACES; asked++) {
    const { status } = await fetch(`${gateway.baseUrl}/healthz`, { headers: { connection: 'close' } });
    expect(status).toBe(200);
  }
});
