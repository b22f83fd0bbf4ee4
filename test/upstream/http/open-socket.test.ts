import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { socketOpener } from '../../../src/upstream/http/open-socket.ts';
import { CERT, KEY } from '../../server/self-signed.ts';

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
    const socket = open(() => undefined);
    socket.on('error', () => undefined);
    await once(socket, resumed.length === 0 ? 'session' : 'secureConnect');
    resumed.push(socket instanceof TLSSocket && socket.isSessionReused());
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.destroy(failure);
    await closed;
  }
  expect(resumed).toEqual([false, true, false]);
});
