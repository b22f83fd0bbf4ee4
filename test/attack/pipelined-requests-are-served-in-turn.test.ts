import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '../../src/server/http/http-server.ts';
import { eventually } from '../../src/core/eventually.ts';

// A client packs hundreds of requests into one packet, and reads none of the answers. All of them were made at once: 66 KB cost 500 MB.

const ONE = 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n';
const LARGE = Buffer.alloc(350_000, 'x');

async function startCounting() {
  const seen = { begun: 0, serving: 0, most: 0, paths: [] as (string | undefined)[] };
  const server = await startHttpServer(
    async (request, response) => {
      seen.begun++;
      seen.serving++;
      seen.most = Math.max(seen.most, seen.serving);
      seen.paths.push(request.url);
      response.on('close', () => seen.serving--);
      response.end(LARGE);
    },
    { host: '127.0.0.1', port: 0, portSetting: 'http.port', requestTimeoutMs: 60_000, idleTimeoutMs: 60_000 },
  );
  onTestFinished(() => server.close(0));
  const open = async (): Promise<Socket> => {
    const socket = connect(server.port, server.host);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { seen, open, server };
}

test.each([
  ['however many were asked for', ONE],
  ['whatever they expect', ONE.replace('Host: a', 'Host: a\r\nExpect: x')],
])('answers that nobody reads are made one at a time, %s', async (_, request) => {
  const { seen, open } = await startCounting();
  const socket = await open();
  socket.pause();
  socket.write(request.repeat(100));
  await eventually('one is served', () => seen.begun > 0 || undefined);
  const other = await open();
  other.end(ONE.replace('/large', '/other'));
  expect((await text(other)).length).toBeGreaterThan(LARGE.length);
  expect(seen.most).toBeLessThanOrEqual(2);
  expect(seen.begun).toBeLessThan(40);
  socket.resume();
  await eventually('all are served', () => seen.begun === 101 || undefined);
  expect(seen.paths.filter((path) => path === '/large')).toHaveLength(100);
});

test('what waits is forgotten with the connection, and the server stops at once', async () => {
  const { seen, open, server } = await startCounting();
  const socket = await open();
  socket.pause();
  socket.write(ONE.repeat(100));
  await eventually('one is served', () => seen.begun > 0 || undefined);
  const begun = seen.begun;
  socket.destroy();
  await eventually('it has ended', () => seen.serving === 0 || undefined);
  const startMs = performance.now();
  await server.close(60_000);
  expect(performance.now() - startMs).toBeLessThan(30_000);
  expect(seen.begun - begun).toBeLessThanOrEqual(1);
});

test('more than 128 that wait end the connection with the limit, behind the answers to those before', async () => {
  const { seen, open } = await startCounting();
  const socket = await open();
  socket.write(ONE.repeat(1_000));
  const all = await text(socket);
  expect(all.split('HTTP/1.1 200 OK')).toHaveLength(130);
  expect(all.slice(all.lastIndexOf('HTTP/1.1'))).toMatch(
    /^HTTP\/1\.1 429 Too Many Requests\r\n.*\{"limit":128\}/s,
  );
  expect([seen.begun, seen.most]).toEqual([129, 1]);
});
