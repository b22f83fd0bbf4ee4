import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { freePortPair } from '../../support/free-port-pair.ts';
import { startKeyslot } from '../../support/keyslot.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { startNode } from '../../support/node-process.ts';
import { openSocket } from '../../support/socket-client.ts';

const directory = useNewDirectory();

test('the port above the HTTP port takes WebSocket, and says so to anything else', async () => {
  const port = await freePortPair();
  const server = await startKeyslot({ env: { KEYSLOT_HTTP_PORT: String(port) } });
  onTestFinished(server.stop);
  const address = new URL(server.rpcUrl.replace(/^http/, 'ws'));
  address.port = String(port + 1);
  const client = await openSocket(address.href);
  expect((await client.call('getSlot')).result).toEqual(expect.any(Number));
  const plain = await fetch(`http://127.0.0.1:${port + 1}/`);
  expect([plain.status, plain.headers.get('upgrade'), await plain.json()]).toMatchObject([
    ...[426, 'websocket', { error: { code: -32097 } }],
  ]);
  client.close();
});

test('where that port is taken the server does not start, and says which setting chooses it', async () => {
  const port = await freePortPair();
  const other = createServer().listen(port + 1, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const env = { KEYSLOT_DATA_DIR: directory(), KEYSLOT_HTTP_PORT: String(port) };
  const server = startNode(['src/main.ts', 'serve'], env);
  onTestFinished(server.stop);
  await eventually('it has ended', () => server.ended());
  expect(server.stderr()).toContain(`Cannot listen on 127.0.0.1:${port + 1}`);
  expect(server.stderr()).toContain('KEYSLOT_WS_PORT');
});
