import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ExchangePool, Flow } from '../../../../src/gateway/nodes/http/exchange.ts';
import {
  BuiltinHttpPool,
  ConnectionPool,
  type ConnectionPoolOptions,
} from '../../../../src/gateway/nodes/http/http-upstream.ts';
import { socketOpener } from '../../../../src/gateway/nodes/http/node-connection.ts';
import { standStill } from '../../../support/stand-still.ts';
import { ownHttp } from '../../../support/own-http.ts';
import { collect } from './collect.ts';
import { type RawNode, startRawNode } from './raw-node.ts';

let node: RawNode;
let pool: ExchangePool;

beforeEach(async () => {
  node = await startRawNode();
  pool = openPool();
});

afterEach(async () => {
  pool.close();
  await node.close();
});

function openPool(options: Partial<ConnectionPoolOptions> = {}, port = node.port): ExchangePool {
  const origin = new URL(`http://127.0.0.1:${port}`);
  const limits = { connections: 2, connectTimeoutMs: 2_000, bodyTimeoutMs: 2_000, ...options };
  const headers = { Host: 'x', Connection: 'keep-alive' };
  if (!ownHttp.ownClient) return new BuiltinHttpPool({ ...limits, origin, path: '/rpc', headers });
  const requestHead = 'POST /rpc HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nContent-Length: ';
  return new ConnectionPool({ ...limits, ...socketOpener(origin), requestHead });
}

const ok = (body: string, ...fields: readonly string[]): string =>
  ['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...fields, '', body].join('\r\n');

const answerWith =
  (text: string) =>
  (socket: Socket): void =>
    void socket.write(text);

/** Sends a call and waits for what becomes of it. */
async function call(body = '{}'): Promise<string> {
  const exchange = collect(body);
  pool.dispatch(exchange);
  return (await exchange.done).body;
}

/** Registers a test of what node:http does in its own way. */
const ownTest: (name: string, run: () => Promise<void>) => void = ownHttp.ownClient ? test : () => undefined;

const BROKEN = { code: 'upstreamBroken', cause: { name: 'BrokenConnection' } };

test('one connection carries one call after the other', async () => {
  node.play((socket, { body }) => socket.write(ok(body)));
  for (const body of ['1', '22', 'x'.repeat(100_000)]) expect(await call(body)).toBe(body);
  expect(node.sockets).toHaveLength(1);
  expect(node.seen[0]?.head).toBe(
    'POST /rpc HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nContent-Length: 1',
  );
});

test('no more connections are opened than allowed; the rest of the calls wait, in order', async () => {
  const held: (() => void)[] = [];
  node.play((socket, { body }) => void held.push(() => socket.write(ok(body))));
  const calls = ['1', '2', '3', '4'].map((body) => call(body));
  await expect.poll(() => node.seen.length).toBe(2);
  held.shift()?.();
  await expect.poll(() => node.seen.length).toBe(3);
  expect(node.seen[2]?.body).toBe('3');
  while (node.seen.length < 4 || held.length > 0) {
    held.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(calls)).toEqual(['1', '2', '3', '4']);
  expect(node.sockets).toHaveLength(2);
});

test('a call that is taken back while it waits is never sent', async () => {
  pool.close();
  pool = openPool({ connections: 1 });
  const held = Promise.withResolvers<Socket>();
  node.play((socket, { body }, count) => (count === 1 ? held.resolve(socket) : socket.write(ok(body))));
  const first = call('1');
  const second = collect('2');
  pool.dispatch(second);
  pool.forget(second);
  const third = call('3');
  (await held.promise).write(ok('1'));
  expect([await first, await third]).toEqual(['1', '3']);
  expect(node.seen.map(({ body }) => body)).toEqual(['1', '3']);
});

test('a call that is given up closes its connection, and the next one has another', async () => {
  node.play((socket, { body }, count) => (count === 1 ? undefined : socket.write(ok(body))));
  const first = collect('1');
  pool.dispatch(first);
  const flow = await first.started;
  await expect.poll(() => node.sockets.length).toBe(1);
  flow.cancel();
  expect(await call('2')).toBe('2');
  expect(node.sockets).toHaveLength(2);
});

test('a call that is given up before it is sent never reaches the node', async () => {
  node.play(answerWith(ok('1')));
  pool.dispatch({ ...collect('secret'), onStart: (flow) => flow.cancel() });
  expect(await call('2')).toBe('1');
  expect(node.seen.map(({ body }) => body)).toEqual(['2']);
});

test.each([
  ['its end is announced', ok('1', 'Connection: close')],
  ['the node grants less than a second', ok('1', 'Keep-Alive: timeout=1')],
  ['the answer is of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n1'],
])('a connection is not used again when %s', async (_when, text) => {
  node.play(answerWith(text));
  expect([await call(), await call()]).toEqual(['1', '1']);
  expect(node.sockets).toHaveLength(2);
});

ownTest('a connection is not used again when more came than the answer', async () => {
  node.play(answerWith(`${ok('1')}HTTP/1.1 200 OK\r\n`));
  expect([await call(), await call()]).toEqual(['1', '1']);
  expect(node.sockets).toHaveLength(2);
});

test('a connection whose end is announced is not used by a call that waits either', async () => {
  pool.close();
  pool = openPool({ connections: 1 });
  node.play(answerWith(ok('1', 'Connection: close')));
  expect(await Promise.all([call(), call(), call()])).toEqual(['1', '1', '1']);
  expect(node.sockets).toHaveLength(3);
});

test('a connection is not used again when the node answered before it had read the request', async () => {
  const large = 'x'.repeat(20 * 1024 * 1024);
  const served = collect(large);
  node.play(answerWith(ok('late')));
  pool.dispatch(served);
  await expect.poll(() => node.sockets.length).toBe(1);
  node.sockets[0]?.pause().write(ok('early'));
  expect((await served.done).body).toBe('early');
  expect(await call()).toBe('late');
  expect(node.sockets).toHaveLength(2);
});

test('bytes on a connection that lies idle close it', async () => {
  node.play(answerWith(ok('1')));
  await call();
  const closed = once(node.sockets[0] as Socket, 'close');
  node.sockets[0]?.write(ok('2'));
  await closed;
  expect(await call()).toBe('1');
  expect(node.sockets).toHaveLength(2);
});

test('a connection that the node has closed meanwhile is not used', async () => {
  node.play(answerWith(ok('1')));
  await call();
  const closed = once(node.sockets[0] as Socket, 'close');
  node.sockets[0]?.end();
  await closed;
  expect(await call()).toBe('1');
});

test('a body that ends with its connection is whole', async () => {
  node.play((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nabc'));
  expect([await call(), await call()]).toEqual(['abc', 'abc']);
});

test.each([
  ['before it answers', ''],
  ['within the head', 'HTTP/1.1 200 OK\r\nCont'],
  ['within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'],
  ['within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'],
])('a node that ends the connection %s broke it', async (_where, text) => {
  node.play((socket) => socket.end(text));
  await expect(call()).rejects.toMatchObject(BROKEN);
});

test('a reset breaks the connection, in the middle of a body that ends with it too', async () => {
  node.play((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nabc', () => socket.resetAndDestroy()));
  await expect(call()).rejects.toMatchObject(BROKEN);
});

ownTest('what is no HTTP breaks the connection, with the reason as its cause', async () => {
  node.play(answerWith('SSH-2.0\r\n\r\n'));
  const cause = {
    name: 'BrokenConnection',
    cause: { name: 'ResponseFault', message: 'invalid status line' },
  };
  await expect(call()).rejects.toMatchObject({ code: 'upstreamBroken', cause });
});

test('where nobody listens nothing was sent, for waiting requests too', async () => {
  const gone = await startRawNode();
  await gone.close();
  pool.close();
  pool = openPool({ connections: 1 }, gone.port);
  const calls = await Promise.allSettled([call(), call(), call()]);
  expect(calls).toMatchObject(calls.map(() => ({ reason: { code: 'upstreamUnavailable' } })));
});

test('a response that falls silent is given up after the deadline of a body', async () => {
  pool.close();
  pool = openPool({ bodyTimeoutMs: 50 });
  node.play(answerWith('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'));
  await expect(call()).rejects.toMatchObject({ code: 'upstreamTimeout', context: { limitMs: 50 } });
});

test('what came of a response while this process stood still is read before it is given up', async () => {
  pool.close();
  pool = openPool({ bodyTimeoutMs: 50 });
  node.play(answerWith('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab'));
  const exchange = collect();
  const begun = Promise.withResolvers<void>();
  pool.dispatch({
    ...exchange,
    onData: (data) => {
      exchange.onData(data);
      begun.resolve();
    },
  });
  await begun.promise;
  node.sockets.at(-1)?.write('cd');
  standStill(500);
  expect((await exchange.done).body).toBe('abcd');
});

ownTest('so is one that falls silent within its head', async () => {
  pool.close();
  pool = openPool({ bodyTimeoutMs: 50 });
  node.play(answerWith('HTTP/1.1 200 OK\r\nContent-'));
  await expect(call()).rejects.toMatchObject({ code: 'upstreamTimeout' });
});

test('the deadline of a body stands still while nobody reads it', async () => {
  pool.close();
  pool = openPool({ bodyTimeoutMs: 50 });
  node.play(answerWith('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab'));
  const paused = collect();
  const held = Promise.withResolvers<void>();
  pool.dispatch({
    ...paused,
    onData: (data) => {
      paused.onData(data);
      void paused.started.then((flow) => flow.hold());
      held.resolve();
    },
  });
  await held.promise;
  await expect(call()).rejects.toMatchObject({ code: 'upstreamTimeout' });
  node.sockets[0]?.write('cd');
  (await paused.started).resume();
  expect((await paused.done).body).toBe('abcd');
});

ownTest(
  'what is held at the end of a response stays as it is while the connection carries the next',
  async () => {
    pool.close();
    pool = openPool({ connections: 1 });
    node.play((socket, { body }) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n${body.repeat(3)}`),
    );
    const holding = collect('aa');
    let flow: Flow | undefined;
    let held: Buffer | undefined;
    pool.dispatch({
      ...holding,
      onStart: (started) => {
        flow = started;
      },
      onData: (data) => {
        held = data;
        flow?.hold();
      },
    });
    const next = call('bb');
    expect(await next).toBe('bbbbbb');
    expect(String(held)).toBe('aaaaaa');
    expect(node.sockets).toHaveLength(1);
  },
);

test('closing fails what is under way, what waits and what comes later', async () => {
  pool.close();
  pool = openPool({ connections: 1 });
  const outcomes = Promise.allSettled([call(), call()]);
  await expect.poll(() => node.seen.length).toBe(1);
  pool.close();
  expect(await outcomes).toMatchObject([
    { reason: { code: 'upstreamBroken' } },
    { reason: { code: 'upstreamUnavailable' } },
  ]);
  await expect(call()).rejects.toMatchObject({ code: 'upstreamUnavailable' });
  expect(node.sockets).toHaveLength(1);
});
