import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openLane, PLAIN } from './open-plain-lane.ts';

test('a connection is closed when it has been idle for too long after an answer, not before', async () => {
  const { lane, client } = await openLane({ keepAliveMs: 0 });
  lane.sweep();
  lane.sweep();
  client.write(PLAIN);
  await once(client, 'data');
  lane.sweep();
  expect(client.readableEnded).toBe(false);
  const closed = once(client, 'close');
  lane.sweep();
  await closed;
});

test('a connection that is silent for too long during an answer is closed, and the answer given up', async () => {
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<boolean>();
  const { lane, client } = await openLane({
    idleTimeoutMs: 0,
    handle: async (_request, response) => {
      response.on('close', () => closed.resolve(response.writableFinished));
      begun.resolve();
    },
  });
  client.write(PLAIN);
  await begun.promise;
  lane.sweep();
  lane.sweep();
  expect(await closed.promise).toBe(false);
  client.destroy();
});

test('a client that leaves during its answer is noticed', async () => {
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<boolean>();
  const { client } = await openLane({
    handle: async (_request, response) => {
      response.on('close', () => closed.resolve(response.writableFinished));
      begun.resolve();
    },
  });
  client.write(PLAIN);
  await begun.promise;
  client.destroy();
  expect(await closed.promise).toBe(false);
});
