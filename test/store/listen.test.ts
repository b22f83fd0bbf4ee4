import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import pg from 'pg';
import { type Listener, type Listening, startListening } from '../../src/store/postgres/listen.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { describeStores, SILENT } from './backends.ts';

const NOTIFICATION = 'A'.charCodeAt(0);
describeStores('a store', (backend) => {
  const store = backend.shared();

  test('can be listened to where other processes can change it', () => {
    expect(store().listen !== undefined).toBe(backend.kind === 'postgres');
  });
});

const postgresUrl = await findPostgres();
const withPostgres = (promise: string, body: (url: string) => Promise<void>): void =>
  test(promise, (context) =>
    postgresUrl === undefined ? context.skip(POSTGRES_MISSING) : body(postgresUrl),
  );

/** Passes a PostgreSQL connection on, but no announcement: as a pooler that shares connections between transactions. */
async function startDeafProxy(target: URL): Promise<string> {
  const server: Server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    client.pipe(upstream);
    upstream.on(
      'data',
      cutMessages((message) => void client.write(message)),
    );
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    upstream.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const address = new URL(target);
  address.port = String((server.address() as AddressInfo).port);
  address.hostname = '127.0.0.1';
  return address.href;
}

/** Hands on every message of the server but notifications (protocol 3.0: a type byte, then a length that counts itself). */
function cutMessages(handOn: (message: Buffer) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      if (rest[0] !== NOTIFICATION) handOn(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}

const listenAt = (connectionString: string, channel: string, listener: Listener): Promise<Listening> =>
  startListening({ clientConfig: { connectionString }, channel, listener, log: SILENT });

withPostgres('an address at which announcements get lost is refused with the reason', async (postgres) => {
  const url = await startDeafProxy(new URL(postgres));
  const nothing = { onConnected: async () => undefined, onAnnouncement: async () => undefined };
  await expect(listenAt(url, 'keyslot_test_deaf', nothing)).rejects.toThrow(/not of a pooler/);
});

withPostgres(
  'where a handler fails the connection counts as lost: another is made, and told',
  async (postgres) => {
    const channel = `keyslot_test_${process.pid}`;
    const announcer = new pg.Client({ connectionString: postgres });
    await announcer.connect();
    onTestFinished(() => announcer.end());
    let connections = 0;
    const heard: string[] = [];
    const listening = await listenAt(postgres, channel, {
      onConnected: async () => {
        connections += 1;
      },
      onAnnouncement: async (payload) => {
        heard.push(payload);
        if (payload === 'first') throw new Error('the store did not answer');
      },
    });
    onTestFinished(() => listening.close());
    const announce = (payload: string): Promise<unknown> =>
      announcer.query('select pg_notify($1, $2)', [channel, payload]);
    await announce('first');
    await expect.poll(() => connections).toBe(2);
    await announce('second');
    await expect.poll(() => heard.filter((each) => !each.startsWith('probe'))).toEqual(['first', 'second']);
  },
);
