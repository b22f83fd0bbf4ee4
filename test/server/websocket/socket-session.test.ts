import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { createSocketMetrics, LiveSockets } from '../../../src/server/websocket/live-sockets.ts';
import type { Message } from '../../../src/core/rpc/call.ts';
import { createReplyMemory } from '../../../src/core/rpc/reply-memory.ts';
import { SocketSession, type Taken } from '../../../src/server/websocket/socket-session.ts';
import { SOCKET_BOUNDS } from '../socket-bounds.ts';

const OPEN = 1;
const CLOSED = 3;

/** A session that is admitted a message when the test says so. */
function openSession() {
  const happened: string[] = [];
  const admitted = Promise.withResolvers<Taken>();
  const socket = Object.assign(new EventEmitter(), {
    OPEN,
    readyState: OPEN,
    isPaused: false,
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  });
  const metrics = createSocketMetrics(new Registry());
  const sockets = new LiveSockets(SOCKET_BOUNDS, metrics);
  onTestFinished(() => sockets.drain(0));
  const source = { origin: undefined, address: '127.0.0.1' };
  const caller = { keyId: 'k1', accountId: 'a1', source, askedAt: () => 'ws://localhost/' };
  const session = new SocketSession(socket as never, new PassThrough(), caller, {
    ...SOCKET_BOUNDS,
    metrics,
    sockets,
    maxBodyBytes: 1_000,
    refusalOf: () => undefined,
    replyMemory: createReplyMemory(1_000, 1_000),
    takeIn: () => {
      happened.push('asked');
      return admitted.promise;
    },
    answer: async () => {
      happened.push('answered');
      return undefined;
    },
    leave: () => void happened.push('left'),
    openTally: () => ({ add: () => undefined, close: () => undefined }),
  });
  const close = (): void => {
    socket.readyState = CLOSED;
    socket.emit('close', 1006);
  };
  const admit = (): void => admitted.resolve({ kind: 'message', message: {} as Message });
  return { session, happened, receive: () => socket.emit('message', Buffer.from('{}')), close, admit };
}

test('a message that is admitted is answered', async () => {
  const { session, happened, receive, close, admit } = openSession();
  receive();
  admit();
  await setImmediate();
  close();
  expect([happened, session.isInUse()]).toEqual([['asked', 'answered', 'left'], false]);
});

test('a message that is admitted when the client has left is not answered: nobody would end its subscriptions', async () => {
  const { session, happened, receive, close, admit } = openSession();
  receive();
  expect(session.isInUse()).toBe(true);
  close();
  admit();
  await setImmediate();
  expect([happened, session.isInUse()]).toEqual([['asked', 'left'], false]);
});
