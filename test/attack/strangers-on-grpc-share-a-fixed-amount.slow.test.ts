import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { createScriptedLedger } from '../gateway/streams/scripted-ledger.ts';
import { startStreamServer } from '../server/grpc/start-stream-server.ts';

// Watch, reflection, and calls that wait for their request need no key. Each connection had a bound, and all of them together had none: with
// a few hundred connections the heap was full.

const WATCH = '/grpc.health.v1.Health/Watch';
const REFLECT = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
const LIST_TOPICS = '/keyslot.stream.v1.StreamService/ListTopics';
/** A request without any field. */
const EMPTY = Buffer.alloc(5);
const ATTACKER = '127.0.0.3';

const start = async (): Promise<number> =>
  (await startStreamServer({ node: createScriptedLedger(100) })).port;

async function open(port: number, from: string, settings = {}): Promise<ClientHttp2Session> {
  const createConnection = () => connectSocket({ port, host: '127.0.0.1', localAddress: from });
  const session = connect(`http://127.0.0.1:${port}`, { createConnection, settings });
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  await once(session, 'remoteSettings');
  return session;
}

type Call = { status: string; message: string; isClosed: boolean; rstCode: number | undefined };

function begin(session: ClientHttp2Session, path: string, headers = {}, contentType = 'application/grpc') {
  const call: Call = { status: '', message: '', isClosed: false, rstCode: undefined };
  const sent = { ':method': 'POST', ':path': path, 'content-type': contentType, te: 'trailers' };
  const stream = session.request({ ...sent, ...headers }, { endStream: false });
  const note = (answer: Readonly<Record<string, unknown>>): void => {
    call.status = String(answer['grpc-status'] ?? call.status);
    call.message = decodeURIComponent(String(answer['grpc-message'] ?? call.message));
  };
  stream.on('error', () => undefined).on('response', note);
  stream.on('trailers', note).on('close', () => {
    call.isClosed = true;
    call.rstCode = stream.rstCode;
  });
  stream.resume();
  return { stream, call };
}

type Flooding = {
  readonly path: string;
  readonly sent?: Buffer;
  readonly headers?: object;
  readonly connections: number;
  readonly perConnection: number;
};

/** Opens calls on many connections, whose answers it does not take. */
async function flood(port: number, { path, sent, headers, connections, perConnection }: Flooding) {
  const calls: Call[] = [];
  for (let opened = 0; opened < connections; opened++) {
    const session = await open(port, ATTACKER, { initialWindowSize: 0 });
    for (let count = 0; count < perConnection; count++) {
      const { stream, call } = begin(session, path, headers);
      calls.push(call);
      if (sent !== undefined) stream.write(sent);
    }
  }
  return { calls, countOpen: () => calls.filter(({ isClosed }) => !isClosed).length };
}

const ALL_ENDED = 'calls without a valid key hold more than 67108864 bytes; try again later';

test.each([
  ['that watch', { path: WATCH, sent: EMPTY, connections: 90, perConnection: 100 }, 8_192],
  [
    'that ask much at once and take no answer',
    { path: REFLECT, sent: Buffer.alloc(64 * 5), connections: 10, perConnection: 100 },
    910,
  ],
  [
    'that name much and ask nothing',
    {
      path: LIST_TOPICS,
      headers: { 'x-a': Array.from({ length: 5 }, () => 'a'.repeat(3_200)) },
      connections: 30,
      perConnection: 60,
    },
    1_680,
  ],
])('strangers %s keep no more than the bound, and nobody else out', async (_, flooding, most) => {
  const port = await start();
  const [other, third] = [await open(port, '127.0.0.2'), await open(port, '127.0.0.2')];
  const watching = begin(other, WATCH);
  watching.stream.write(EMPTY);
  watching.stream.end();
  const { calls, countOpen } = await flood(port, flooding);
  expect(calls.length).toBeGreaterThan(most);
  await eventually('the rest is ended', () => countOpen() <= most || undefined);
  expect(countOpen()).toBeGreaterThan(most / 2);
  const refused = calls.filter(({ isClosed }) => isClosed);
  // Those that take no answer get no reason either.
  expect(
    refused.some(({ message, rstCode }) =>
      flooding.path === REFLECT ? rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM : message === ALL_ENDED,
    ),
  ).toBe(true);
  expect(watching.call).toMatchObject({ status: '', isClosed: false });
  const { stream, call } = begin(third, '/grpc.health.v1.Health/Check');
  stream.end(EMPTY);
  await eventually('it is answered', () => call.isClosed || undefined);
  expect(call.status).toBe('0');
});

test.each([
  ['of a method that is none', '/keyslot.stream.v1.StreamService/None', 'application/grpc'],
  ['of another type', LIST_TOPICS, 'application/json'],
])('a call %s is over at once, whatever its sender still wants to send', async (_, path, type) => {
  const { call } = begin(await open(await start(), ATTACKER), path, {}, type);
  await eventually('it is closed', () => call.isClosed || undefined);
});

test('a call with more than 64 requests that wait is ended before they are read', async () => {
  const session = await open(await start(), ATTACKER);
  const calls = [REFLECT, LIST_TOPICS, WATCH].map((path) => {
    const { stream, call } = begin(session, path);
    stream.write(Buffer.alloc(16_380));
    return call;
  });
  await eventually('they are closed', () => calls.every(({ isClosed }) => isClosed) || undefined);
  const details = 'more than 64 requests of the call wait for their answer';
  expect(calls.map(({ status, message }) => [status, message])).toEqual(calls.map(() => ['8', details]));
});

test('a call whose request does not arrive, and reflection without end, are ended', async () => {
  const session = await open(await start(), ATTACKER);
  const [silent, endless] = [begin(session, LIST_TOPICS), begin(session, REFLECT)];
  const asking = setInterval(() => endless.stream.write(EMPTY), 1_000);
  onTestFinished(() => clearInterval(asking));
  const within = { timeoutMs: 60_000 };
  await eventually(
    'both are closed',
    () => (silent.call.isClosed && endless.call.isClosed) || undefined,
    within,
  );
  expect([silent.call.message, endless.call.message]).toEqual([
    'the request did not arrive within 10000 ms',
    'the call did not end within 30000 ms',
  ]);
}, 90_000);

test('a connection may have 100 calls open until one had a valid key, then 1,000', async () => {
  const session = await open(await start(), ATTACKER);
  expect(session.remoteSettings.maxConcurrentStreams).toBe(100);
  const changed = once(session, 'remoteSettings');
  begin(session, LIST_TOPICS, { 'x-api-key': 'ks_key_test' }).stream.end(EMPTY);
  expect(await changed).toMatchObject([{ maxConcurrentStreams: 1_000 }]);
});
