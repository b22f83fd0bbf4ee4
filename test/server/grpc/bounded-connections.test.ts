import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { TOPICS } from '../../../generated/stream/topics.ts';
import { Connections, type ConnectionsOptions } from '../../../src/server/connections/connections.ts';
import { createScriptedLedger } from '../../gateway/streams/scripted-ledger.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { openIdleClients } from '../../support/idle-clients.ts';
import { endOf, metadataOf, rawClient, subscribe } from './raw-client.ts';
import { startStreamServer } from './start-stream-server.ts';

async function start(bounds: Partial<ConnectionsOptions>) {
  const connections = new Connections({ maxConnections: 10_000, maxPerAddress: 10_000, ...bounds });
  onTestFinished(() => connections.close());
  const ledger = createScriptedLedger(100);
  const { port } = await startStreamServer({ node: ledger, connections });
  return { connections, ledger, port };
}

const ALL_TOPICS = Object.keys(TOPICS).length;
const listTopics = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    rawClient(port).listTopics({}, metadataOf(), (error, answer) =>
      error === null ? resolve(answer.topics.length) : reject(error),
    );
  });

it('strangers that are idle make room, and keep neither a stream nor a caller out', async () => {
  const { ledger, port } = await start({ maxConnections: 20 });
  const stream = subscribe(rawClient(port));
  await once(stream, 'metadata');
  await openIdleClients(port, 500);
  expect(await listTopics(port)).toBe(ALL_TOPICS);
  ledger.grow(101);
  expect(await once(stream, 'data')).toMatchObject([{ slot: 101n }]);
});

it('where every connection has a stream, one too many is refused, and told when to come again', async () => {
  const { port } = await start({ maxConnections: 2 });
  for (let count = 0; count < 2; count++) await once(subscribe(rawClient(port)), 'metadata');
  const { status, error, trailer } = await endOf(subscribe(rawClient(port)));
  expect([status, error, trailer.get('retry-after')]).toEqual([
    'RESOURCE_EXHAUSTED',
    'connectionsFull',
    ['1'],
  ]);
});

it('a connection whose stream has ended makes room, with a goodbye', async () => {
  const { port, connections } = await start({ maxConnections: 1 });
  const client = rawClient(port);
  const stream = subscribe(client);
  await once(stream, 'metadata');
  stream.cancel();
  const other = await eventually('its place is free', () => listTopics(port).catch(() => undefined));
  expect(other).toBe(ALL_TOPICS);
  expect(connections.size).toBe(1);
});

it('a connection that ends is no longer counted', async () => {
  const { port, connections } = await start({});
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await eventually('it is counted', () => (connections.size === 1 ? true : undefined));
  socket.destroy();
  await eventually('it is not', () => (connections.size === 0 ? true : undefined));
});
