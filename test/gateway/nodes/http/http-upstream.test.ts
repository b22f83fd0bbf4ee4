import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import { createHttpUpstream } from '../../../../src/gateway/nodes/http/http-upstream.ts';
import type { UpstreamReply } from '../../../../src/core/rpc/upstream-reply.ts';
import type { Upstream } from '../../../../src/gateway/nodes/upstream.ts';
import { CERT, KEY } from '../../../server/self-signed.ts';
import { ownHttp } from '../../../support/own-http.ts';
import { type RawNode, startRawNode } from './raw-node.ts';

const REPLY = '{"jsonrpc":"2.0","result":1,"id":1}';
const LARGE = `{"jsonrpc":"2.0","result":"${'x'.repeat(70_000)}","id":1}`;

let node: RawNode;
let upstream: Upstream;

beforeEach(async () => {
  node = await startRawNode();
  upstream = open(`http://me:p%40ss@127.0.0.1:${node.port}/rpc?key=secret`);
});

afterEach(async () => {
  await upstream.close();
  await node.close();
});

function open(url: string): Upstream {
  const limits = { connections: 4, connectTimeoutMs: 2_000, bodyTimeoutMs: 2_000 };
  return createHttpUpstream({ url, ...limits, ...ownHttp });
}

function send(body = '{"jsonrpc":"2.0","method":"getSlot","id":1}', signal = new CallSignal()) {
  return upstream.send({ body: Buffer.from(body), method: 'getSlot', id: '1', signal });
}

function wholeText(reply: UpstreamReply): string | undefined {
  return reply.kind === 'whole' ? reply.body.toString() : undefined;
}

const answerOf = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test('a request has fields of our own only, and the path, key and credentials of the address', async () => {
  node.play((socket) => socket.write(answerOf(REPLY)));
  expect(wholeText(await send('{"a": 1}'))).toBe(REPLY);
  expect(node.seen).toEqual([
    {
      head: [
        'POST /rpc?key=secret HTTP/1.1',
        `Host: 127.0.0.1:${node.port}`,
        'Connection: keep-alive',
        'Content-Type: application/json',
        'Accept: application/json',
        `Authorization: Basic ${Buffer.from('me:p@ss').toString('base64')}`,
        'Content-Length: 8',
      ].join('\r\n'),
      body: '{"a": 1}',
    },
  ]);
});

test('a large reply that has come whole is no longer tied to its connection, which carries another call', async () => {
  node.play((socket, _request, count) => {
    if (count === 1) socket.write(answerOf(LARGE));
  });
  const first = await send();
  if (first.kind !== 'stream') throw new Error('the reply is no stream');
  first.body.read(0);
  await expect.poll(() => first.body.readableLength).toBe(LARGE.length);
  const second = send();
  await expect.poll(() => node.seen.length).toBe(2);
  first.body.destroy();
  node.sockets[0]?.write(answerOf(REPLY));
  expect(wholeText(await second)).toBe(REPLY);
  expect(node.sockets).toHaveLength(1);
});

test('a large reply that is given up closes its connection', async () => {
  node.play((socket) => socket.write(answerOf(LARGE).slice(0, -10)));
  const reply = await send();
  const closed = new Promise((resolve) => node.sockets[0]?.once('close', resolve));
  if (reply.kind === 'stream') reply.body.destroy();
  await closed;
});

test('a call that is given up rejects with the reason, and closes its connection', async () => {
  const signal = new CallSignal();
  const reply = send('{}', signal);
  await expect.poll(() => node.seen.length).toBe(1);
  const closed = new Promise((resolve) => node.sockets[0]?.once('close', resolve));
  signal.abort(new Error('the client has left'));
  await expect(reply).rejects.toThrow('the client has left');
  await closed;
});

test('a slow reader holds a large reply back at the node', async () => {
  const size = 40 * 1024 * 1024;
  node.play((socket) => socket.write(answerOf(`{"result":"${'x'.repeat(size)}"}`)));
  const reply = await send();
  if (reply.kind !== 'stream') throw new Error('the reply is no stream');
  await expect.poll(() => node.sockets[0]?.writableLength).toBeGreaterThan(size / 2);
  expect(reply.body.readableLength).toBeLessThan(1024 * 1024);
  expect(await text(reply.body)).toHaveLength(size + '{"result":""}'.length);
});

test('a refusal with a short body leaves the connection to the next call, any other ends it', async () => {
  const refusal = (body: string, length = `Content-Length: ${body.length}`): string =>
    `HTTP/1.1 429 Too Many Requests\r\n${length}\r\n\r\n${body}`;
  const refusals = [
    refusal(''),
    refusal('wait'),
    refusal('x'.repeat(100_000)),
    refusal('4\r\nwait\r\n0\r\n\r\n', 'Transfer-Encoding: chunked'),
  ];
  node.play((socket, _request, count) => socket.write(refusals[count - 1] ?? answerOf(REPLY)));
  const connections: number[] = [];
  for (const _ of refusals) {
    await expect(send()).rejects.toMatchObject({ code: 'upstreamBusy' });
    connections.push(node.sockets.length);
  }
  expect(wholeText(await send())).toBe(REPLY);
  expect([...connections, node.sockets.length]).toEqual([1, 1, 1, 2, 3]);
});

test('a reply in chunks is read like one of known size', async () => {
  const chunks = [REPLY.slice(0, 5), REPLY.slice(5)].map(
    (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
  );
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  node.play((socket) => socket.write(`${head}${chunks.join('')}0\r\n\r\n`));
  expect([wholeText(await send()), wholeText(await send())]).toEqual([REPLY, REPLY]);
  expect(node.sockets).toHaveLength(1);
});

test('the size of a large reply is known where the node states it', async () => {
  node.play((socket, _request, count) => {
    if (count === 1) socket.write(answerOf(LARGE));
    else socket.end(answerOf(LARGE).replace(/Content-Length.*\r\n/, ''));
  });
  for (const sizeBytes of [LARGE.length, undefined]) {
    const reply = await send();
    expect(reply).toMatchObject({ kind: 'stream', sizeBytes });
    if (reply.kind === 'stream') expect(await text(reply.body)).toBe(LARGE);
  }
});

async function withTlsNode(run: (server: Server, url: string) => Promise<void>): Promise<void> {
  const server = createServer({ cert: CERT, key: KEY }, (request, response) => {
    request.resume();
    response.setHeader('connection', 'close');
    response.setHeader('content-type', 'application/json').end(REPLY);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await run(server, `https://localhost:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('a node over TLS whose certificate is trusted answers, and its session is taken up again', async () => {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, CERT]);
  try {
    await withTlsNode(async (server, url) => {
      const resumed: boolean[] = [];
      server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()));
      upstream = open(url);
      expect(wholeText(await send())).toBe(REPLY);
      expect(wholeText(await send())).toBe(REPLY);
      expect(resumed).toEqual([false, true]);
    });
  } finally {
    setDefaultCACertificates(trusted);
  }
});

test('a node over TLS whose certificate nobody vouches for is sent nothing', async () => {
  await withTlsNode(async (server, url) => {
    const requests: unknown[] = [];
    server.on('request', (request) => requests.push(request));
    upstream = open(url);
    await expect(send()).rejects.toMatchObject({ code: 'upstreamUnavailable' });
    expect(requests).toEqual([]);
  });
});
