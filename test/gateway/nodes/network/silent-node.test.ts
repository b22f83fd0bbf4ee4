import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { joinNodes } from '../../../../src/gateway/nodes/network/ledger-nodes.ts';
import { NodeWatch } from '../../../../src/gateway/nodes/network/node-watch.ts';
import { connectNode } from '../../../../src/gateway/nodes/open-upstream.ts';

/** No deadline passes. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('nodes that are closed wait for no answer of one that gives none', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const upstream = connectNode(`http://127.0.0.1:${address.port}/`, {
    connections: 2,
    connectTimeoutMs: 500,
    bodyTimeoutMs: 500,
  });
  const watch = new NodeWatch({ name: 'main', upstream });
  const nodes = joinNodes([{ watch, upstream: watch.upstream }]);
  nodes.start();
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [asked] = (await once(socket, 'data')) as [Buffer];
  expect(asked.toString()).toContain('getVersion');
  await nodes.close();
  await nodes.settled();
  expect([nodes.statuses()[0]?.version, vi.getTimerCount()]).toEqual([null, 0]);
  socket.destroy();
  server.close();
});
