import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from '../../src/server/http/http-server.ts';
import { readBody } from '../../src/server/http/read-body.ts';
import { sendBody } from '../../src/server/http/respond.ts';

const LIMIT_MS = 200;
const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n';

let server: HttpServer;
let client: Socket;

beforeEach(async () => {
  server = await startHttpServer(
    async (request, response) => {
      const body = await readBody(request, response, 100).catch(() => undefined);
      if (body !== undefined) sendBody(response, 200, body);
    },
    {
      host: '127.0.0.1',
      port: 0,
      portSetting: 'x',
      requestTimeoutMs: LIMIT_MS,
      idleTimeoutMs: 60_000,
    },
  );
  client = connect(server.port, '127.0.0.1').setNoDelay();
  await once(client, 'connect');
});

afterEach(async () => {
  client.destroy();
  await server.close(100);
});

/** Sends one part of requests when the answer to the one before is there. */
async function answered(...requests: readonly string[]): Promise<void> {
  for (const request of requests) {
    client.write(request);
    expect(String((await once(client, 'data'))[0])).toContain('200 OK');
  }
}

test.each([
  ['nothing', ''],
  ['half a head', HEAD.slice(0, 20)],
  ['half a body', `${HEAD}he`],
])('a connection that sends %s and then nothing is answered 408', async (_what, part) => {
  client.write(part);
  expect(await text(client)).toMatch(/^HTTP\/1\.1 408 .*within 200 ms/s);
});

test.each([
  ['half a head', HEAD.slice(0, 20)],
  ['half a body', `${HEAD}he`],
])('so is one that sends %s after other requests', async (_what, part) => {
  await answered(`${HEAD}hello`, `${HEAD}again`);
  client.write(part);
  expect(await text(client)).toMatch(/^HTTP\/1\.1 408 /);
});

test('bytes that keep coming do not extend the time', async () => {
  const trickle = setInterval(() => client.write('x: y\r\n'), LIMIT_MS / 10);
  client.on('error', () => undefined).once('close', () => clearInterval(trickle));
  client.write('POST / HTTP/1.1\r\nhost: x\r\n');
  expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1\.1 408 /);
});

test('a connection whose requests have arrived is kept', async () => {
  await answered(`${HEAD}hello`);
  const other = connect(server.port, '127.0.0.1');
  expect(await text(other)).toMatch(/^HTTP\/1\.1 408 /);
  await answered(`${HEAD}again`);
});
