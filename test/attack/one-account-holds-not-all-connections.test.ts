import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import type { KeyFinder } from '../../src/server/access/authenticate.ts';
import { createSocketMetrics, LiveSockets } from '../../src/server/websocket/live-sockets.ts';
import { openSocket } from '../support/socket-client.ts';
import { createScriptedLedger } from '../gateway/streams/scripted-ledger.ts';
import { endOf, rawClient, subscribe } from '../server/grpc/raw-client.ts';
import { startStreamServer } from '../server/grpc/start-stream-server.ts';
import { startScriptedNode } from '../server/scripted-node.ts';
import { SOCKET_BOUNDS } from '../server/socket-bounds.ts';
import { RPC_PATH, startGateway } from '../server/start-gateway.ts';

// An account has a hundred API keys, and each may have half of all WebSocket connections. In use, none of them ends by itself.

/** Each key is `<account>-<number>`. */
const KEYS: KeyFinder = {
  find: (presented) => ({ kind: 'valid', keyId: presented, accountId: presented.split('-')[0] ?? '' }),
};
const FULL = { code: 1013, reason: 'the server has reached its limit of 10 connections' };

async function start() {
  const node = await startScriptedNode();
  const gateway = await startGateway({
    nodeUrls: [node.url],
    keys: KEYS,
    sockets: { maxSockets: 10, maxSocketsPerKey: 5 },
  });
  onTestFinished(async () => {
    await gateway.close();
    await node.close();
  });
  const base = gateway.wsUrl.slice(0, gateway.wsUrl.indexOf(RPC_PATH));
  const open = (key: string) => openSocket(`${base}${RPC_PATH}?apikey=${key}`);
  /** Returns how many are open of as many that were opened. */
  const openMany = async (count: number, keyOf: (at: number) => string) => {
    const opened = [];
    for (let at = 0; at < count; at++)
      opened.push(await open(keyOf(at)).catch((error: Error) => error.message));
    return opened;
  };
  return { open, openMany };
}

test('all connections are held by two keys of an account: another account gets its share, of the oldest', async () => {
  const { open, openMany } = await start();
  const held = await openMany(12, (at) => `greedy-${at % 2}`);
  expect(held.slice(10)).toEqual(Array(2).fill('Unexpected server response: 503'));
  const sockets = held.filter((each) => typeof each === 'object');
  expect(sockets).toHaveLength(10);
  const others = [];
  for (let at = 0; at < 5; at++) {
    const other = await open('modest-0');
    expect(await sockets[at]?.closed).toEqual(FULL);
    expect((await other.call('getSlot')).result).toBe(1);
    others.push(other);
  }
  // Each has half: more of either account is refused, and a third one gets a third.
  for (const key of ['modest-1', 'greedy-2'])
    await expect(open(key)).rejects.toThrow('Unexpected server response: 503');
  const [third] = await openMany(3, () => 'third-0');
  expect((await (third as Awaited<ReturnType<typeof open>>).call('getSlot')).result).toBe(1);
  await expect(openMany(1, () => 'third-1')).resolves.toEqual(['Unexpected server response: 503']);
});

test('an account that is alone may have all of them', async () => {
  const { openMany } = await start();
  expect((await openMany(10, (at) => `alone-${at % 2}`)).every((each) => typeof each === 'object')).toBe(
    true,
  );
});

test('a client that does not answer a close frame holds the room no longer', () => {
  const sockets = new LiveSockets({ ...SOCKET_BOUNDS, maxSockets: 300 }, createSocketMetrics(new Registry()));
  onTestFinished(() => sockets.drain(0));
  const ended = { shed: 0, cut: 0 };
  const ignore = (): void => undefined;
  const ends = {
    shed: () => void ended.shed++,
    cut: () => void ended.cut++,
  };
  const add = (accountId: string, at: number): void => {
    const socket = { keyId: `${accountId} ${at}`, accountId };
    sockets.assertRoom(socket);
    sockets.add({ ...socket, watch: ignore, finish: ignore, leave: ignore, ...ends });
  };
  for (let at = 0; at < 300; at++) add('greedy', at);
  for (let at = 0; at < 150; at++) add('modest', at);
  expect(ended).toEqual({ shed: 100, cut: 50 });
  expect(() => add('modest', 150)).toThrow('300');
});

test('the streams of all keys of an account have a bound too; other accounts are not touched', async () => {
  const server = await startStreamServer({
    node: createScriptedLedger(100),
    maxStreamsPerKey: 2,
    maxStreamsPerAccount: 3,
  });
  for (const at of [1, 2, 3])
    server.keys.set(`ks_key_${at}`, { kind: 'valid', keyId: `key ${at}`, accountId: 'greedy' });
  const client = rawClient(server.port);
  const open = async (key: string) => {
    const stream = subscribe(client, {}, { 'x-api-key': key });
    await new Promise((resolve) => stream.once('metadata', resolve));
    return stream;
  };
  const streams = [await open('ks_key_1'), await open('ks_key_1'), await open('ks_key_2')];
  const refused = await endOf(subscribe(client, {}, { 'x-api-key': 'ks_key_3' }));
  expect(refused).toMatchObject({ status: 'RESOURCE_EXHAUSTED', error: 'tooManyStreams' });
  await open('ks_key_other');
  streams[0]?.on('error', () => undefined);
  streams[0]?.cancel();
  await eventually('the stream is released', () => server.standing().streams === 3 || undefined);
  await open('ks_key_3');
});
