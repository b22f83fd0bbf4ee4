import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { startStreamServer } from '../server/grpc/start-stream-server.ts';
import { createScriptedLedger } from '../gateway/streams/scripted-ledger.ts';

// Calls that never send their request, or ask without reading, held as much memory as their sender liked, without any key.

const SUBSCRIBE = {
  ':method': 'POST',
  ':path': '/keyslot.stream.v1.StreamService/Subscribe',
  'content-type': 'application/grpc',
  te: 'trailers',
};
const REFLECT = { ...SUBSCRIBE, ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo' };

async function openSession(settings = {}): Promise<ClientHttp2Session> {
  const server = await startStreamServer({ node: createScriptedLedger(100) });
  const session = connect(`http://127.0.0.1:${server.port}`, {
    maxSendHeaderBlockLength: 2 ** 24,
    ...settings,
  });
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  await once(session, 'connect');
  return session;
}

function begin(session: ClientHttp2Session, headers: object) {
  const stream = session.request({ ...SUBSCRIBE, ...headers }, { endStream: false });
  const told = { status: '', message: '', isClosed: false };
  stream
    .on('error', () => undefined)
    .on('close', () => {
      told.isClosed = true;
    });
  stream.on('response', (answer) => {
    told.status = String(answer['grpc-status'] ?? '');
    told.message = decodeURIComponent(String(answer['grpc-message'] ?? ''));
  });
  stream.resume();
  return told;
}

test('a call with more than 16 KiB of metadata is refused with the limit, and its connection cut', async () => {
  const session = await openSession();
  const told = begin(session, { 'x-a': 'a'.repeat(17_000) });
  await eventually('it is refused', () => told.status !== '' || undefined);
  expect(told).toMatchObject({
    status: '8',
    message: expect.stringMatching(/^metadata has 17\d{3} bytes; the limit is 16384$/),
  });
  await eventually('the connection is cut', () => session.destroyed || undefined);
});

test('a few bytes that stand for megabytes of metadata end the connection', async () => {
  const session = await openSession();
  const bomb = { 'x-a': Array.from({ length: 100 }, () => 'a'.repeat(3_900)) };
  for (let sent = 0; sent < 100 && !session.destroyed; sent++) begin(session, bomb);
  await eventually('the connection is cut', () => session.destroyed || undefined);
});

test('calls that wait for their request have a megabyte of metadata at most, on each connection', async () => {
  const session = await openSession();
  const all = Array.from({ length: 80 }, () => begin(session, { 'x-a': 'a'.repeat(14_000) }));
  await eventually('the connection is cut', () => session.destroyed || undefined);
  const refused = all.filter(({ message }) => message.includes('1048576 bytes of metadata'));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(10);
});

test('a client that asks for reflection and does not read the answers is not read from', async () => {
  const session = await openSession({ settings: { initialWindowSize: 0 } });
  const stream = session.request(REFLECT, { endStream: false });
  stream.on('error', () => undefined);
  const name = 'x'.repeat(30_000);
  const message = Buffer.concat([Buffer.from([0x1a, 0xb0, 0xea, 0x01]), Buffer.from(name)]);
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, 5);
  let [taken, asked] = [0, 0];
  const ask = (): void => {
    for (; asked - taken < 4 && asked < 1_000; asked++) stream.write(frame, () => taken++ && ask());
  };
  ask();
  // Its window is full: a question more is taken only when the server reads one.
  const seen = [-1];
  await eventually(
    'no more is taken',
    () => {
      seen.push(taken);
      return (seen.length > 20 && seen.at(-20) === taken) || undefined;
    },
    { intervalMs: 20 },
  );
  expect(taken).toBeLessThan(100);
  stream.close(constants.NGHTTP2_CANCEL);
});

test('metadata is measured whatever it is called, and what is no ASCII in it reaches no log', async () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => printed.mockRestore());
  const told = begin(await openSession(), { ['__proto__']: 'a'.repeat(17_000) });
  await eventually('it is refused', () => told.status !== '' || undefined);
  expect(told.message).toMatch(/^metadata has 17\d{3} bytes/);
  const headers = {
    ...SUBSCRIBE,
    ':path': '/grpc.health.v1.Health/Check',
    'x-a': 'ks_key_secret\u00a0\u009b31m',
  };
  const call = (await openSession()).request(headers, { endStream: true }).on('error', () => undefined);
  await once(call.resume(), 'close');
  expect(printed).not.toHaveBeenCalled();
});
