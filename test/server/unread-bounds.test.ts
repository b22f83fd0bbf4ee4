import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { serviceError } from '../../src/core/service-error.ts';
import { Connections } from '../../src/server/connections/connections.ts';
import {
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
} from '../../src/server/http/http-server.ts';
import { startNodeServer } from '../../src/server/http/node-server.ts';
import { readBody } from '../../src/server/http/read-body.ts';
import { sendBody, sendError } from '../../src/server/http/respond.ts';
import { MAX_DISCARDED_BYTES } from '../../src/server/http/unread-bytes.ts';
import { refuseUpgrade } from '../../src/server/websocket/upgrades.ts';
import { startBusyMachineClock } from '../support/busy-machine-clock.ts';
import { CERT, KEY } from './self-signed.ts';
import { inEachWay, uploadEachWay } from './upload.ts';

const MIB = 1024 * 1024;
/** The bytes that the system buffers for a connection, on both sides. */
const IN_FLIGHT_BYTES = 32 * MIB;
const MAX_BODY_BYTES = 1_000;
const REQUEST_TIMEOUT_MS = 200;
const IDLE_TIMEOUT_MS = 45_000;

/** Answers a request that has a body of at most 1,000 bytes with 200, another with 413. */
const start = (options: Partial<HttpServerOptions>): Promise<HttpServer> =>
  startHttpServer(
    async (request, response) => {
      try {
        sendBody(response, 200, await readBody(request, response, MAX_BODY_BYTES));
      } catch {
        sendError(response, serviceError('bodyTooLarge', { limit: MAX_BODY_BYTES }));
      }
    },
    {
      host: '127.0.0.1',
      port: 0,
      portSetting: 'x',
      requestTimeoutMs: 60_000,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      onUpgrade: (_request, socket) => refuseUpgrade(socket, serviceError('apiKeyMissing')),
      ...options,
    },
  );

let [installation, hasty]: HttpServer[] = [];

beforeAll(async () => {
  installation = await start({});
  hasty = await start({ requestTimeoutMs: REQUEST_TIMEOUT_MS });
});

afterAll(async () => {
  await Promise.all([installation?.close(100), hasty?.close(100)]);
});

async function open(server: HttpServer | undefined): Promise<Socket> {
  const socket = connect({ port: server?.port ?? 0, host: '127.0.0.1', allowHalfOpen: true });
  socket.setNoDelay().on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const POST = 'POST / HTTP/1.1\r\nhost: x\r\n';
const CHUNKED = `transfer-encoding: chunked\r\n\r\n7fffffff\r\n${'x'.repeat(MAX_BODY_BYTES + 1)}`;
const ANNOUNCED = 'content-length: 10000000000\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
const UPGRADE = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';

const KEPT = [
  ['announces 10 GB', `${POST}${ANNOUNCED}`],
  ['announces 10 GB on its last request', `${POST}connection: close\r\n${ANNOUNCED}`],
  ['sends a chunk without end', `${POST}${CHUNKED}`],
  ['sends a chunk without end on its last request', `${POST}connection: close\r\n${CHUNKED}`],
] as const;

const BROKEN = [
  ['sends too large a head', `${POST}x: ${'x'.repeat(20_000)}\r\n`],
  ['sends what is no HTTP', 'hello\r\n\r\n'],
  ['is refused a WebSocket', UPGRADE],
] as const;

/** Sends the beginning of a request and reads the answer that comes at once. */
async function refused(server: HttpServer | undefined, beginning: string): Promise<Socket> {
  const socket = await open(server);
  socket.write(beginning);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 4\d\d /);
  return socket.resume();
}

test.each(['keep-alive', 'close'])('over TLS the answer arrives, with connection: %s', async (connection) => {
  const server = await start({ tls: { cert: Buffer.from(CERT), key: Buffer.from(KEY) } });
  onTestFinished(() => server.close(100));
  const head = ['POST / HTTP/1.1', `connection: ${connection}`];
  const answers = await uploadEachWay({ port: server.port, ca: CERT, head, next: LAST });
  expect(answers).toEqual(inEachWay(connection === 'close' ? '413' : '413,200'));
});

test.each(['keep-alive', 'close'])(
  'it arrives from a server that is like a validator, with connection: %s',
  async (connection) => {
    const options = { host: '127.0.0.1', port: 0, portSetting: 'x' };
    const server = await startNodeServer(async () => ({ kind: 'result', json: '1' }), options);
    onTestFinished(() => server.close(100));
    const head = ['POST / HTTP/1.1', 'content-type: application/json', `connection: ${connection}`];
    const answers = await uploadEachWay({ port: server.port, head, next: LAST });
    expect(answers).toEqual(inEachWay(connection === 'close' ? '413' : '413,405'));
  },
);

/** Lets the time that a connection has to close stand still. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

const TOO_MUCH = [KEPT[0], KEPT[3], BROKEN[2]];

test.each(TOO_MUCH)('a client that %s is cut off when it has sent too much', async (_what, head) => {
  stopClock();
  const socket = await refused(installation, head);
  const part = Buffer.alloc(MIB, 'x');
  const write = (): Promise<boolean> =>
    new Promise((resolve) => socket.write(part, (error) => resolve(!error)));
  let sentBytes = 0;
  while (await write()) sentBytes += part.length;
  expect(sentBytes).toBeGreaterThanOrEqual(MAX_DISCARDED_BYTES - MIB);
  expect(sentBytes).toBeLessThan(MAX_DISCARDED_BYTES + IN_FLIGHT_BYTES);
});

/** Sends a byte now and then until the server has cut the connection off. */
async function trickle(socket: Socket): Promise<void> {
  const timer = setInterval(() => socket.write('x'), 10);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
}

test.each(KEPT)('a client that %s and then a byte now and then is cut off in time', async (_what, head) => {
  await trickle(await refused(hasty, head));
});

test.each(BROKEN)('so is one that %s', async (_what, head) => {
  stopClock();
  const cut = trickle(await refused(installation, head));
  vi.advanceTimersByTime(5_000);
  await cut;
});

test('a client whose last answer is there and that never ends its side is cut off in time', async () => {
  stopClock();
  const socket = await open(installation);
  socket.write(`${POST}connection: close\r\ncontent-length: 5\r\n\r\nhello`);
  expect(await text(socket)).toContain('hello');
  vi.advanceTimersByTime(IDLE_TIMEOUT_MS);
  await trickle(socket);
});

test.each([...KEPT, ...BROKEN])('the connection of a client that %s makes room', async (_what, head) => {
  const connections = new Connections({ maxConnections: 1, maxPerAddress: 1 });
  const server = await start({ connections });
  onTestFinished(async () => {
    await server.close(100);
    connections.close();
  });
  stopClock();
  const cut = trickle(await refused(server, head));
  const other = await open(server);
  await cut;
  other.write(LAST);
  expect(await text(other)).toContain(' 200 ');
  other.end();
});

test('requests behind a refused body are answered, whether they are pipelined or not', async () => {
  const socket = await refused(installation, `${POST}content-length: 300000\r\n\r\n`);
  const whole = `${POST}content-length: 5\r\n\r\n`;
  socket.write(`${'x'.repeat(300_000)}${whole}first${whole}again`);
  let heard = '';
  for await (const part of socket) {
    heard += String(part);
    if (heard.includes('again')) break;
  }
  expect(heard.match(/1\.1 \d+|first|again/g)).toEqual(['1.1 200', 'first', '1.1 200', 'again']);
});

test('nothing behind the last request of a connection is answered, and its answer arrives', async () => {
  const socket = await open(installation);
  const whole = `${POST}content-length: 5\r\n\r\n`;
  const last = whole.replace('POST', 'PUT').replace('host', 'connection: close\r\nhost');
  socket.write(`${last}first`);
  await once(socket, 'readable');
  socket.write(`${whole}again`);
  expect((await text(socket)).match(/1\.1 \d+|first|again/g)).toEqual(['1.1 200', 'first']);
  socket.end();
});

test('a client that waits to be told to continue is refused, and its connection ended', async () => {
  const socket = await open(installation);
  socket.write(`${POST}expect: 100-continue\r\n${ANNOUNCED}`);
  expect((await text(socket)).match(/1\.1 \d+|Connection: \w+/g)).toEqual(['1.1 413', 'Connection: close']);
  socket.end();
});

test('a server that stops does not wait for the rest of refused bodies', async () => {
  const server = await start({});
  const sockets = await Promise.all([...KEPT, ...BROKEN].map(([, head]) => refused(server, head)));
  using since = startBusyMachineClock();
  const cut = sockets.map(trickle);
  await server.close(30_000);
  await Promise.all(cut);
  expect(since.elapsedMs()).toBeLessThan(5_000);
});
