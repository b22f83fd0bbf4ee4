import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { socketOpener } from '../../../../src/gateway/nodes/http/node-connection.ts';
import { CERT, KEY } from '../../../server/self-signed.ts';

const trusted = getCACertificates('default');
const server = createServer({ cert: CERT, key: KEY }, (socket) =>
  socket.on('error', () => undefined).resume(),
);

beforeEach(async () => {
  setDefaultCACertificates([...trusted, CERT]);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  setDefaultCACertificates(trusted);
  server.close();
});

test('a TLS session is taken up again until a socket has failed', async () => {
  const { port } = server.address() as AddressInfo;
  const { open } = socketOpener(new URL(`https://localhost:${port}`));
  const resumed: boolean[] = [];
  for (const failure of [undefined, new Error('failed'), undefined]) {
    const socket = open(() => false);
    socket.on('error', () => undefined);
    await once(socket, resumed.length === 0 ? 'session' : 'secureConnect');
    resumed.push(socket instanceof TLSSocket && socket.isSessionReused());
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.destroy(failure);
    await closed;
  }
  expect(resumed).toEqual([false, true, false]);
});

test('small TLS records that are kept share buffers, and none is read over', async () => {
  const records = Array.from({ length: 300 }, (_, index) => `record ${index}.`.padEnd(20, '.'));
  server.once('secureConnection', async (socket) => {
    socket.setNoDelay(true);
    for (const record of records) await new Promise((resolve) => socket.write(record, resolve));
    sent.resolve();
  });
  const sent = Promise.withResolvers<void>();
  const { port } = server.address() as AddressInfo;
  const kept: Buffer[] = [];
  const socket = socketOpener(new URL(`https://localhost:${port}`)).open((bytes) => kept.push(bytes) > 0);
  await once(socket, 'secureConnect');
  socket.pause();
  await sent.promise;
  socket.resume();
  await expect.poll(() => String(Buffer.concat(kept))).toBe(records.join(''));
  expect(kept.length).toBeGreaterThan(100);
  expect(new Set(kept.map((part) => part.buffer)).size).toBe(1);
  socket.destroy();
});
