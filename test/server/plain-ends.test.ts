import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { PlainLane, PlainLaneOptions } from '../../src/server/http/plain/plain-lane.ts';
import { sendBody, sendStream } from '../../src/server/http/respond.ts';
import { eventually } from '../../src/core/eventually.ts';
import { openLane, PLAIN } from './open-plain-lane.ts';

const TRACKER = { isDraining: false, enter: () => undefined, leave: () => undefined };

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

test.each(['', 'P'])(
  'a client that leaves during its answer is noticed, with %j behind its request',
  async (behind) => {
    const begun = Promise.withResolvers<Socket>();
    const closed = Promise.withResolvers<boolean>();
    const { client } = await openLane({
      handle: async ({ socket }, response) => {
        response.on('close', () => closed.resolve(response.writableFinished));
        begun.resolve(socket);
      },
    });
    client.write(PLAIN);
    const served = await begun.promise;
    if (behind !== '') {
      const came = once(served, 'data');
      client.write(behind);
      await came;
    }
    client.destroy();
    expect(await closed.promise).toBe(false);
  },
);

test('what comes behind the last request of a connection is not answered, and the last answer arrives', async () => {
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let count = 0;
  const { client } = await openLane({
    tracker: { ...TRACKER, isDraining: true },
    handle: async (_request, response) => {
      count += 1;
      begun.resolve();
      await release.promise;
      sendBody(response, 200, 'last');
    },
  });
  client.write(PLAIN);
  await begun.promise;
  client.write(PLAIN);
  release.resolve();
  client.once('data', () => client.write(PLAIN));
  expect((await text(client)).match(/HTTP|last/g)).toEqual(['HTTP', 'last']);
  expect(count).toBe(1);
});

/** Larger than what the system keeps for a connection on its way. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

type Slow = {
  readonly lane: PlainLane;
  readonly client: Socket;
  readonly served: Socket;
  readonly closed: Promise<boolean>;
};

/** A client that has sent a request and not read a byte of the large answer. */
async function openSlow(options: Partial<PlainLaneOptions> = {}): Promise<Slow> {
  const begun = Promise.withResolvers<Socket>();
  const closed = Promise.withResolvers<boolean>();
  const { lane, client } = await openLane({
    handle: async ({ socket }, response) => {
      response.on('close', () => closed.resolve(response.writableFinished));
      sendBody(response, 200, LARGE);
      begun.resolve(socket);
    },
    ...options,
  });
  client.write(PLAIN);
  return { lane, client, served: await begun.promise, closed: closed.promise };
}

test('an answer is under way until the system has taken it, though its client sends no more', async () => {
  let ended = 0;
  const { client, served, closed } = await openSlow({ tracker: { ...TRACKER, leave: () => (ended += 1) } });
  const noMore = once(served, 'end');
  client.end();
  await noMore;
  expect(ended).toBe(0);
  const answer = await text(client);
  expect(answer.length).toBeGreaterThan(LARGE.length);
  expect(await closed).toBe(true);
  expect(ended).toBe(1);
});

test('an answer that is read slowly is not given up while it is read', async () => {
  const { lane, client, closed } = await openSlow({ tracker: { ...TRACKER, isDraining: true } });
  const [first] = await once(client, 'data');
  lane.sweep();
  const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 100_000);
  onTestFinished(() => later.mockRestore());
  lane.sweep();
  expect(first.length + (await text(client)).length).toBeGreaterThan(LARGE.length);
  expect(await closed).toBe(true);
});

test('an answer that nobody reads any more is given up', async () => {
  const { client, closed } = await openSlow({ idleTimeoutMs: 50 });
  expect(await closed).toBe(false);
  client.destroy();
});

test.each([9, undefined])(
  'a stream of %j bytes leaves nothing on the connection it has gone over',
  async (sizeBytes) => {
    const left: number[] = [];
    let ended = 0;
    const { client } = await openLane({
      tracker: { ...TRACKER, leave: () => (ended += 1) },
      handle: ({ socket }, response) => {
        left.push(socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0));
        return sendStream(response, Readable.from([Buffer.from('a stream.')]), { sizeBytes, headers: {} });
      },
    });
    for (let count = 0; count < 4; count++) {
      client.resume().write(PLAIN);
      await eventually('the answer is done with', () => (ended === count + 1 ? true : undefined));
    }
    client.destroy();
    expect(new Set(left).size).toBe(1);
  },
);
