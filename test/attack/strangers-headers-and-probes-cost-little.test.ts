import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { readForwarded } from '../../src/server/access/client-address.ts';
import { assertJsonBody } from '../../src/server/http/read-body.ts';
import { isLocalRequest } from '../../src/server/http/status-routes.ts';
import { startGateway } from '../server/start-gateway.ts';
import { createStoreHealth } from '../../src/store/store-health.ts';

// Requests that anybody may send must not cost the square of their length, or a connection to the store each.

test('a Forwarded header is read up to 1,024 characters', () => {
  const quoted = `for="${'\\"'.repeat(8_000)}`;
  expect(readForwarded({ forwarded: quoted })).toEqual([]);
  expect(readForwarded({ forwarded: 'for=192.0.2.1;proto=https' })).toHaveLength(1);
});

test('a Content-Type is read up to 128 characters', () => {
  const isRead = (type: string): boolean => {
    try {
      assertJsonBody({ headers: { 'content-type': type } });
      return true;
    } catch {
      return false;
    }
  };
  const charset = 'application/json; charset=utf-8';
  expect(isRead(charset.padEnd(128))).toBe(true);
  expect(isRead(charset.padEnd(129))).toBe(false);
  // The head of a request has room for this.
  const startedMs = performance.now();
  for (let sent = 0; sent < 100; sent++)
    expect(isRead(`application/json;${' '.repeat(16_000)}x`)).toBe(false);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});

test('metrics on this machine are for programs on it, and for no page of another site', () => {
  const from = (headers: object) =>
    isLocalRequest({ headers, socket: { remoteAddress: '127.0.0.1' } } as Parameters<
      typeof isLocalRequest
    >[0]);
  for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:8080']) expect(from({ host })).toBe(true);
  expect(from({ host: 'evil.example' })).toBe(false);
  expect(from({ host: 'localhost', origin: 'https://evil.example' })).toBe(false);
  expect(from({ host: 'localhost', 'sec-fetch-site': 'cross-site' })).toBe(false);
});

test.each([
  ['speaks HTTP/1.0, as nginx does', '1.0', false],
  ['is announced by the settings, whatever it speaks', '1.1', true],
])(
  'metrics are kept from the clients of a proxy on this machine that %s',
  async (_, version, isBehindProxy) => {
    const gateway = await startGateway({ nodeUrls: [], isBehindProxy });
    onTestFinished(() => gateway.close());
    const { host, port } = new URL(gateway.baseUrl);
    const answerTo = async (httpVersion: string): Promise<string> => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`GET /metrics HTTP/${httpVersion}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return await text(socket);
    };
    expect(await answerTo(version)).toMatch(/^HTTP\/1\.1 403 .*on metrics\.port/s);
    if (!isBehindProxy) expect(await answerTo('1.1')).toMatch(/^HTTP\/1\.1 200 .*# HELP keyslot_/s);
  },
);

test('however many ask whether the store is ready, it is asked once', async () => {
  let asked = 0;
  const pool = { query: async () => void asked++, connect: async () => undefined };
  const health = createStoreHealth({
    pool: pool as unknown as Parameters<typeof createStoreHealth>[0]['pool'],
    where: 'a store',
    directory: undefined,
  });
  await Promise.all(Array.from({ length: 1_000 }, () => health.ping()));
  expect(asked).toBe(1);
  await health.ping();
  expect(asked).toBe(2);
});
