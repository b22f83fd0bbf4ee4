import { expect, it } from 'vitest';
import { StreamWriter } from '../../../src/server/grpc/subscribe.ts';

/** A connection that takes messages when it is told to. */
const slowConnection = () => {
  const waiting: (() => void)[] = [];
  return {
    write: (_: Uint8Array, done: () => void) => void waiting.push(done),
    takeOne: () => waiting.shift()?.(),
  };
};

it('has room up to its bytes, and one message more, however large', () => {
  const writer = new StreamWriter(slowConnection(), { maxBytes: 100, maxMessages: 1_000 });
  writer.write(new Uint8Array(99));
  expect(writer.hasRoom).toBe(true);
  writer.write(new Uint8Array(5_000));
  expect([writer.hasRoom, writer.unreadBytes]).toEqual([false, 5_099]);
});

it('has room up to its messages, and for another one when one was sent', () => {
  const connection = slowConnection();
  const writer = new StreamWriter(connection, { maxBytes: 1_000, maxMessages: 2 });
  writer.write(new Uint8Array(1));
  expect(writer.hasRoom).toBe(true);
  writer.write(new Uint8Array(1));
  expect(writer.hasRoom).toBe(false);
  connection.takeOne();
  expect(writer.hasRoom).toBe(true);
});

it('says when there is room again', async () => {
  const connection = slowConnection();
  const writer = new StreamWriter(connection, { maxBytes: 10, maxMessages: 10 });
  writer.write(new Uint8Array(6));
  writer.write(new Uint8Array(6));
  const room = writer.room();
  connection.takeOne();
  await room;
  expect([writer.hasRoom, writer.unreadBytes]).toEqual([true, 6]);
});

it('gives up waiting when the stream has failed, then and later', async () => {
  const writer = new StreamWriter(slowConnection(), { maxBytes: 1, maxMessages: 1 });
  writer.write(new Uint8Array(1));
  const room = writer.room();
  const failure = new Error('the client has left');
  writer.fail(failure);
  await expect(room).rejects.toBe(failure);
  await expect(writer.room()).rejects.toBe(failure);
});
