import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { type HttpHandlers, type HttpServer, startHttpServer } from '../../src/server/http/http-server.ts';
import { readBody } from '../../src/server/http/read-body.ts';
import { sendBody, sendParts, sendStream } from '../../src/server/http/respond.ts';
import { eventually } from '../../src/core/eventually.ts';
import { BODY, HEAD, openLane, PLAIN } from './open-plain-lane.ts';
import { CERT, KEY } from './self-signed.ts';

const LAST = PLAIN.replace('\r\n', '\r\nconnection: close\r\n');
const CHUNKED = `POST /plain HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\n${BODY}\r\n0\r\n\r\n`;

/** Answers with the reader of a request and its body. */
const TELLING: HttpHandlers = {
  handle: async (request, response) => {
    sendBody(response, 200, `node ${await readBody(request, response, 100)}`);
  },
  servesPlain: (target) => target === '/plain',
  handlePlain: async (request, response) => {
    sendBody(response, 200, `plain ${await readBody(request, response, 100)}`);
  },
};

type Tls = { readonly cert: Buffer; readonly key: Buffer };

let server: HttpServer;

async function start(
  handlers: Partial<HttpHandlers> = {},
  options: { readonly tls?: Tls; readonly requestTimeoutMs?: number } = {},
): Promise<void> {
  server = await startHttpServer(
    { ...TELLING, ...handlers },
    {
      host: '127.0.0.1',
      port: 0,
      portSetting: 'x',
      requestTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      ...options,
    },
  );
}

afterEach(() => server.close(100));

const open = (): Socket => connect(server.port, '127.0.0.1');

/** Sends each part when the answer to the one before is there. @returns the reader of each. */
async function exchange(socket: Socket, parts: readonly string[]): Promise<readonly string[]> {
  const told: string[] = [];
  for (const part of parts) {
    socket.write(part);
    let answer = '';
    while (!/(node|plain) \w*$/.test(answer)) answer += String((await once(socket, 'data'))[0]);
    told.push(answer.slice(answer.lastIndexOf('\r\n') + 2));
  }
  socket.destroy();
  return told;
}

test('a plain request is read without node:http, and so is the next one on its connection', async () => {
  await start();
  expect(await exchange(open(), [PLAIN, PLAIN])).toEqual(['plain hello', 'plain hello']);
});

test.each([
  ['not plain', CHUNKED],
  ['for another path', PLAIN.replace('/plain', '/other')],
])('one that is %s takes its connection to node:http for good', async (_what, odd) => {
  await start();
  expect(await exchange(open(), [PLAIN, odd, PLAIN])).toEqual(['plain hello', 'node hello', 'node hello']);
});

test.each([3, HEAD.length, PLAIN.length - 1])(
  'one whose first %i bytes come before the rest is handed over with them',
  async (at) => {
    const taken = Promise.withResolvers<string>();
    const { client } = await openLane({ handOver: (_socket, chunk) => taken.resolve(String(chunk)) });
    client.write(PLAIN.slice(0, at));
    expect(await taken.promise).toBe(PLAIN.slice(0, at));
    client.destroy();
  },
);

test('one that comes byte by byte loses nothing', async () => {
  await start();
  const socket = open().setNoDelay();
  for (const byte of PLAIN.slice(0, -1)) {
    socket.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await exchange(socket, [PLAIN.slice(-1)])).toEqual(['node hello']);
});

test('two at once are answered one after the other, by node:http', async () => {
  await start();
  const socket = open();
  socket.write(PLAIN + LAST);
  expect((await text(socket)).match(/(node|plain) hello/g)).toEqual(['node hello', 'node hello']);
});

test('over TLS plain requests are plain too', async () => {
  await start({}, { tls: { cert: Buffer.from(CERT), key: Buffer.from(KEY) } });
  const socket = connectTls({ port: server.port, host: '127.0.0.1', servername: 'localhost', ca: CERT });
  await once(socket, 'secureConnect');
  expect(await exchange(socket, [PLAIN, CHUNKED])).toEqual(['plain hello', 'node hello']);
});

test('while a request is answered, what comes behind it waits for its turn', async () => {
  const release = Promise.withResolvers<void>();
  let begun = 0;
  await start({
    handlePlain: async (_request, response) => {
      begun += 1;
      await release.promise;
      sendBody(response, 200, `plain ${begun}`);
    },
  });
  const socket = open();
  socket.write(PLAIN);
  await eventually('the first has begun', () => (begun === 1 ? true : undefined));
  socket.write(PLAIN);
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toBe(1);
  release.resolve();
  await eventually('the second has begun', () => (begun === 2 ? true : undefined));
  socket.write(LAST);
  expect((await text(socket)).match(/(plain \d|node hello)/g)).toEqual([
    ...['plain 1', 'plain 2', 'node hello'],
  ]);
});

const BODIES: readonly (readonly [string, (parts: readonly Buffer[]) => Parameters<typeof sendStream>[2]])[] =
  [
    ['of known length', (parts) => ({ sizeBytes: Buffer.concat(parts).length, headers: {} })],
    ['of unknown length', () => ({ sizeBytes: undefined, headers: {} })],
  ];

test.each(BODIES)('a stream %s arrives whole, and the connection serves on', async (_how, sized) => {
  const parts = Array.from({ length: 200 }, (_, index) => Buffer.alloc(10_007, index));
  await start({
    handlePlain: (_request, response) => sendStream(response, Readable.from(parts), sized(parts)),
  });
  for (const answer of [await post(), await post()])
    expect(Buffer.compare(answer, Buffer.concat(parts))).toBe(0);
});

test.each(BODIES)('a stream %s that breaks off breaks the connection', async (_how, sized) => {
  const broken = async function* () {
    yield Buffer.from('half');
    throw new Error('broken off');
  };
  const told = sized([Buffer.from('half and more')]);
  await start({
    handlePlain: (_request, response) =>
      sendStream(response, Readable.from(broken()), told).catch(() => response.destroy()),
  });
  await expect(post()).rejects.toThrow('terminated');
});

test('an answer in parts arrives whole', async () => {
  const parts = Array.from({ length: 20 }, (_, index) => Buffer.alloc(30_000, index));
  await start({ handlePlain: async (_request, response) => sendParts(response, parts) });
  expect(Buffer.compare(await post(), Buffer.concat(parts))).toBe(0);
});

async function post(): Promise<Buffer> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/plain`, { method: 'POST', body: BODY });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

test('a connection that never asks for anything is answered 408 and closed', async () => {
  await start({}, { requestTimeoutMs: 100 });
  expect(await text(open())).toMatch(/^HTTP\/1\.1 408 .*within 100 ms/s);
});

test('an empty part of a stream does not end it', async () => {
  const parts = [Buffer.from('first'), Buffer.alloc(0), Buffer.from('second')];
  await start({
    handlePlain: (_request, response) =>
      sendStream(response, Readable.from(parts), { sizeBytes: undefined, headers: {} }),
  });
  expect(String(await post())).toBe('firstsecond');
});

test('nothing is left behind when the address cannot be listened on', async () => {
  await start();
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const options = { host: '127.0.0.1', port: server.port, portSetting: 'x' };
  const limits = { requestTimeoutMs: 60_000, idleTimeoutMs: 60_000 };
  await expect(startHttpServer(TELLING, { ...options, ...limits })).rejects.toThrow();
  expect(timers()).toBe(before);
});
