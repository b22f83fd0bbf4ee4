import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConnectionPool } from '../../../../src/gateway/nodes/http/http-upstream.ts';
import { type OnData, socketOpener } from '../../../../src/gateway/nodes/http/node-connection.ts';
import { collect } from './collect.ts';
import { type RawNode, startRawNode } from './raw-node.ts';

let node: RawNode;
let pool: ConnectionPool;

beforeEach(async () => {
  node = await startRawNode();
});

afterEach(async () => {
  pool.close();
  await node.close();
});

/** A socket, and what hands on what came on it. */
type OpenSocket = Socket & { readonly onData: OnData };

/** Opens a pool each of whose connections has connected when its socket is made to emit `secureConnect`. */
function openByHand(connections = 2): readonly OpenSocket[] {
  const { open } = socketOpener(new URL(`http://127.0.0.1:${node.port}`));
  const sockets: OpenSocket[] = [];
  pool = new ConnectionPool({
    connections,
    connectTimeoutMs: 2_000,
    bodyTimeoutMs: 2_000,
    requestHead: 'POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: ',
    readyEvent: 'secureConnect',
    readsOn: true,
    open: (onData) => {
      const socket = open(onData);
      sockets.push(Object.assign(socket, { onData }));
      return socket;
    },
  });
  return sockets;
}

const ok = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Sends a call and waits for what becomes of it. */
async function call(body: string): Promise<string> {
  const exchange = collect(body);
  pool.dispatch(exchange);
  return (await exchange.done).body;
}

test('what came behind a fault does not end the response as if it were whole', async () => {
  const sockets = openByHand();
  const exchange = collect();
  pool.dispatch(exchange);
  sockets[0]?.emit('secureConnect');
  await exchange.started;
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const part of [`${head}1\r\na`, 'b\r\n', '\r\n0\r\n\r\n']) sockets[0]?.onData(Buffer.from(part));
  await expect(exchange.done).rejects.toMatchObject({
    code: 'upstreamBroken',
    cause: { name: 'BrokenConnection' },
  });
});

test('a call that is given up while its connection is being made leaves it to the next', async () => {
  const sockets = openByHand(1);
  node.play((socket, { body }) => socket.write(ok(body)));
  const first = collect('1');
  pool.dispatch(first);
  pool.forget(first);
  const second = call('2');
  sockets[0]?.emit('secureConnect');
  expect(await second).toBe('2');
  expect(node.seen.map(({ body }) => body)).toEqual(['2']);
  expect(sockets).toHaveLength(1);
});

test('a call does not wait for its own connection when another is free before', async () => {
  const sockets = openByHand();
  node.play((socket, { body }) => socket.write(ok(body)));
  const calls = [call('1'), call('2')];
  sockets[1]?.emit('secureConnect');
  expect(await Promise.all(calls)).toEqual(['1', '2']);
  expect(node.seen.map(({ body }) => body)).toEqual(['1', '2']);
  sockets[0]?.emit('secureConnect');
  expect(await call('3')).toBe('3');
});

test('a connection that could not be made fails no call for which another is being made', async () => {
  const sockets = openByHand();
  node.play((socket, { body }) => socket.write(ok(body)));
  const first = collect('1');
  pool.dispatch(first);
  pool.forget(first);
  const second = call('2');
  const closed = once(sockets[0] as Socket, 'close');
  sockets[0]?.destroy();
  await closed;
  sockets[1]?.emit('secureConnect');
  expect(await second).toBe('2');
});
