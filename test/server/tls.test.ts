import { request } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from '../../src/server/http/http-server.ts';
import { CERT, KEY } from './self-signed.ts';

let server: HttpServer;

beforeEach(async () => {
  server = await startHttpServer(async (_request, response) => void response.end('hello'), {
    host: '127.0.0.1',
    port: 0,
    portSetting: 'KEYSLOT_HTTP_PORT',
    tls: { cert: Buffer.from(CERT), key: Buffer.from(KEY) },
    requestTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
  });
});

afterEach(() => server.close(100));

test('with a certificate the server speaks HTTPS', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    request({ host: '127.0.0.1', port: server.port, ca: CERT }, (response) => resolve(text(response)))
      .once('error', reject)
      .end();
  });
  expect(answer).toBe('hello');
});

test('a connection that never begins its handshake does not hold the server up', async () => {
  const socket = connect(server.port, '127.0.0.1');
  const left = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  await new Promise((resolve) => setImmediate(resolve));
  const startMs = performance.now();
  await server.close(100);
  expect(performance.now() - startMs).toBeLessThan(5_000);
  await left;
});
