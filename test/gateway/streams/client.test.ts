import { once } from 'node:events';
import { constants, createServer } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createStreamClient,
  StreamCallError,
  type StreamClient,
  type StreamClientOptions,
} from '../../../generated/stream/package.ts';
import type { BlockTransaction } from '../../../src/gateway/streams/block/block.ts';
import { KEY, startStreamServer } from '../../server/grpc/start-stream-server.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { createScriptedLedger } from './scripted-ledger.ts';
import { streamPace } from '../../support/stream-pace.ts';

const clientOf = (url: string, options: Partial<StreamClientOptions> = {}): StreamClient => {
  const client = createStreamClient({ url, apiKey: KEY, maxPauseMs: 20, ...options });
  onTestFinished(() => client.close());
  return client;
};

/** Ends the connection of the first `ended` streams, as Node does where too many were reset in a short time; then it refuses. */
const startEndingServer = async (ended: number) => {
  let openings = 0;
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    if (++openings <= ended) stream.session?.goaway(constants.NGHTTP2_INTERNAL_ERROR);
    else
      stream.respond(
        { 'content-type': 'application/grpc', 'grpc-status': '16', 'grpc-message': 'who?' },
        { endStream: true },
      );
  });
  server.on('session', (session) => session.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, openings: () => openings };
};

/** Takes connections and says nothing, as a process that stands still. */
const startMuteServer = async (port = 0) => {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    sockets.add(socket.on('error', () => undefined));
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  };
  onTestFinished(close);
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${taken}`, connections: () => connections, close };
};

const threeTransactions = (): readonly BlockTransaction[] =>
  [0, 1, 2].map((index) => ({
    index,
    signature: `s${index}`,
    error: undefined,
    fee: 1n,
    computeUnits: undefined,
    version: undefined,
    config: undefined,
    accounts: [],
    logs: [],
    raw: Buffer.of(1),
  }));

describe('the client', () => {
  it('continues where it was when the server goes and comes again, in the middle of a slot too', async () => {
    const node = createScriptedLedger(100, () => ({ transactions: threeTransactions }));
    const first = await startStreamServer({ node });
    const lost: string[] = [];
    const stream = clientOf(first.url).subscribe('transactions', {
      resumeSlot: 100n,
      onReconnect: ({ status }) => void lost.push(status),
    });
    const seen: (readonly [number, number])[] = [];
    const take = async (count: number): Promise<void> => {
      for (let taken = 0; taken < count; taken++) {
        const { value } = await stream.next();
        if (value) seen.push([Number(value.slot), value.index]);
      }
    };
    node.grow(101, 102);
    await take(4);
    await first.close(100);
    node.grow(103);
    await startStreamServer({ node, port: first.port });
    await take(5);
    expect(seen).toEqual([101, 102, 103].flatMap((slot) => [0, 1, 2].map((index) => [slot, index])));
    expect(lost).toContain('UNAVAILABLE');
    await stream.return();
  });

  it('loses nothing when the stream was lost before its first message', async () => {
    const node = createScriptedLedger(100);
    const first = await startStreamServer({ node });
    const next = clientOf(first.url).subscribe('slots').next();
    await eventually('the stream is open', () => first.standing().streams === 1 || undefined);
    await first.close(100);
    node.grow(101, 102, 103);
    const second = await startStreamServer({ node, port: first.port });
    expect((await next).value).toMatchObject({ slot: 101n });
    await second.close(100);
  });

  it('leaves a server that takes its connection and says nothing, and continues when there is another one', async () => {
    const node = createScriptedLedger(100);
    const first = await startStreamServer({ node });
    const stream = clientOf(first.url, { connectTimeoutMs: 100 }).subscribe('slots', { resumeSlot: 100n });
    node.grow(101);
    expect((await stream.next()).value).toMatchObject({ slot: 101n });
    await first.close(100);
    const mute = await startMuteServer(first.port);
    const next = stream.next();
    await eventually('it was connected to again', () => mute.connections() >= 2 || undefined);
    await mute.close();
    node.grow(102);
    await startStreamServer({ node, port: first.port });
    expect((await next).value).toMatchObject({ slot: 102n });
    await stream.return();
  });

  it('fails where the server never says anything', async () => {
    const { url, connections } = await startMuteServer();
    const client = clientOf(url, { connectTimeoutMs: 100 });
    await expect(client.listTopics()).rejects.toMatchObject({ status: 'UNAVAILABLE' });
    await expect(client.subscribe('slots').next()).rejects.toMatchObject({ status: 'UNAVAILABLE' });
    expect(connections()).toBe(4);
  });

  it('opens a stream again whose connection ended at its opening, three times at most', async () => {
    const once = await startEndingServer(1);
    const lost: string[] = [];
    const onReconnect = ({ status }: StreamCallError): void => void lost.push(status);
    await expect(clientOf(once.url).subscribe('slots', { onReconnect }).next()).rejects.toMatchObject({
      status: 'UNAUTHENTICATED',
    });
    expect([lost, once.openings()]).toEqual([['INTERNAL'], 2]);
    const always = await startEndingServer(Number.POSITIVE_INFINITY);
    await expect(clientOf(always.url).subscribe('slots').next()).rejects.toMatchObject({
      status: 'INTERNAL',
    });
    expect(always.openings()).toBe(3);
  });

  it('reports at once an error that no retry fixes', async () => {
    const node = createScriptedLedger(100);
    node.grow(200);
    node.purgeBelow(200);
    const server = await startStreamServer({ node });
    const gone = clientOf(server.url).subscribe('slots', { resumeSlot: 50n }).next();
    await expect(gone).rejects.toMatchObject({
      name: 'StreamCallError',
      status: 'OUT_OF_RANGE',
      error: 'resumeSlotGone',
      oldestSlot: 199n,
    });
    const stranger = clientOf(server.url, { apiKey: 'ks_key_nobody' });
    const refused = await stranger
      .subscribe('slots')
      .next()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StreamCallError);
    expect(refused).toMatchObject({ status: 'UNAUTHENTICATED', error: 'apiKeyUnknown' });
    expect(JSON.stringify(refused)).not.toContain('ks_key_nobody');
    await expect(stranger.listTopics()).rejects.toMatchObject({ error: 'apiKeyUnknown' });
  });

  it('says that there is no server, instead of trying for ever', async () => {
    const server = await startStreamServer({ node: createScriptedLedger(100) });
    await server.close(100);
    await expect(clientOf(server.url).subscribe('slots').next()).rejects.toMatchObject({
      status: 'UNAVAILABLE',
    });
  });

  it('ends with its signal, without an error, and gives its place at the server back', async () => {
    const node = createScriptedLedger(100);
    const server = await startStreamServer({ node });
    const stop = new AbortController();
    const ended = clientOf(server.url).subscribe('slots', { signal: stop.signal }).next();
    await eventually('the stream is open', () => server.standing().streams === 1 || undefined);
    stop.abort();
    expect(await ended).toMatchObject({ done: true });
    await eventually('the place is free', () => server.standing().streams === 0 || undefined);
  });

  it('gives its place back when its loop is left', async () => {
    const node = createScriptedLedger(100);
    const server = await startStreamServer({ node });
    node.grow(101, 102);
    for await (const { slot } of clientOf(server.url).subscribe('slots', { resumeSlot: 100n })) {
      expect(slot).toBe(101n);
      break;
    }
    await eventually('the place is free', () => server.standing().streams === 0 || undefined);
  });

  it('comes again after it was let go for reading too slowly, and misses nothing', async () => {
    const node = createScriptedLedger(100, () => ({
      transactions: () => threeTransactions().map((one) => ({ ...one, logs: ['x'.repeat(30_000)] })),
    }));
    const server = await startStreamServer({
      node,
      hub: { pace: streamPace({ maxLagSlots: 5 }) },
      unread: { maxBytes: 50_000, maxMessages: 10 },
    });
    let reconnects = 0;
    const stream = clientOf(server.url).subscribe('transactions', {
      resumeSlot: 100n,
      onReconnect: () => void reconnects++,
    });
    const seen: string[] = [];
    const take = async (): Promise<void> => {
      const { value } = await stream.next();
      if (value) seen.push(`${value.slot} ${value.index}`);
    };
    let newest = 101;
    node.grow(newest);
    await take();
    await eventually('the client falls behind', () => {
      node.grow(++newest);
      return server.errors.some(({ code }) => code === 'streamTooSlow') || undefined;
    });
    while (seen.length < 3 * (newest - 100)) await take();
    const slots = Array.from({ length: newest - 100 }, (_, index) => 101 + index);
    expect(seen).toEqual(slots.flatMap((slot) => [0, 1, 2].map((index) => `${slot} ${index}`)));
    expect(reconnects).toBeGreaterThan(0);
    await stream.return();
  });
});
