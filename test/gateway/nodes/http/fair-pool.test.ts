import { beforeEach, expect, test } from 'vitest';
import type { Exchange } from '../../../../src/gateway/nodes/http/exchange.ts';
import { FairPool } from '../../../../src/gateway/nodes/http/fair-pool.ts';
import { ReplyCollector } from '../../../../src/gateway/nodes/http/reply-collector.ts';
import { serviceError } from '../../../../src/core/service-error.ts';

let started: Exchange[];

beforeEach(() => {
  started = [];
});

function openPool(connections: number): FairPool {
  return new FairPool(
    {
      dispatch: (exchange) => void started.push(exchange),
      forget: () => undefined,
      close: () => undefined,
    },
    connections,
  );
}

function send(pool: FairPool, name: string, accountId: string | undefined, isUrgent = false): ReplyCollector {
  const call = new ReplyCollector(Buffer.from(name), false, accountId, accountId === undefined || isUrgent);
  call.reply.catch(() => undefined);
  pool.dispatch(call);
  return call;
}

const names = (): readonly string[] => started.map(({ body }) => body.toString());

test('calls that wait take turns by account, urgent ones first', () => {
  const pool = openPool(1);
  for (const name of ['a1', 'a2', 'a3']) send(pool, name, 'a');
  send(pool, 'b1', 'b');
  send(pool, 'send', 'b', true);
  send(pool, 'probe', undefined);
  for (let at = 0; at < 6; at += 1) started[at]?.onEnd();
  expect(names()).toEqual(['a1', 'send', 'probe', 'a2', 'b1', 'a3']);
});

test('one connection in sixteen is kept for urgent calls', () => {
  const pool = openPool(32);
  for (let at = 0; at < 40; at += 1) send(pool, 'read', 'a');
  expect(started).toHaveLength(30);
  for (let at = 0; at < 4; at += 1) send(pool, 'send', 'a', true);
  expect(started).toHaveLength(32);
});

test('a call that is cancelled while it waits is never sent, and fails with a cause that says so', async () => {
  const pool = openPool(1);
  send(pool, 'a1', 'a');
  const waiting = send(pool, 'a2', 'a');
  pool.cancel(waiting, serviceError('upstreamTimeout', { limitMs: 5 }));
  await expect(waiting.reply).rejects.toMatchObject({
    code: 'upstreamTimeout',
    context: { limitMs: 5 },
    cause: { name: 'UnsentCall' },
  });
  started[0]?.onEnd();
  expect(names()).toEqual(['a1']);
});

test('each call gives its connection back once, however it ends', () => {
  const pool = openPool(1);
  const ended = send(pool, 'a1', 'a');
  ended.onEnd();
  pool.cancel(ended, new Error('too late'));
  const failed = send(pool, 'a2', 'a');
  failed.onError(serviceError('upstreamBroken'));
  pool.cancel(send(pool, 'a3', 'a'), new Error('the client has left'));
  send(pool, 'a4', 'a');
  send(pool, 'a5', 'a');
  expect(names()).toEqual(['a1', 'a2', 'a3', 'a4']);
});

test('calls that wait fail when the connections are closed', async () => {
  const pool = openPool(1);
  send(pool, 'a1', 'a');
  const waiting = send(pool, 'a2', 'a');
  pool.close();
  await expect(waiting.reply).rejects.toMatchObject({ code: 'upstreamUnavailable' });
});
