import { createSocket, type RemoteInfo } from 'node:dgram';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createResolveHost, type ResolveOptions } from '../../../src/account/webhooks/resolve-host.ts';

const HEADER_BYTES = 12;
const [NO_ERROR, NO_SUCH_NAME] = [0, 3];
const A = 1;
const OF_SYSTEM = [{ address: '10.0.0.7', family: 4 }];

type Question = { readonly name: string; readonly type: number };
type Reply = { readonly code: number; readonly address?: readonly number[] };

function readQuestion(message: Buffer): Question & { readonly bytes: Buffer } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const bytes = message.subarray(HEADER_BYTES, at + 5);
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), bytes };
}

/** The answer to a question (RFC 1035, section 4), with one address at most. */
function writeReply(message: Buffer, { code, address }: Reply): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(message.readUInt16BE(0), 0);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(address === undefined ? 0 : 1, 6);
  const record = address === undefined ? [] : [0xc0, HEADER_BYTES, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...address];
  return Buffer.concat([header, readQuestion(message).bytes, Buffer.from(record)]);
}

/** Starts a DNS server; `reply` returns undefined where it does not answer. */
async function startDns(reply: (question: Question) => Reply | undefined) {
  const socket = createSocket('udp4');
  const asked: Question[] = [];
  socket.on('message', (message: Buffer, { address, port }: RemoteInfo) => {
    const { name, type } = readQuestion(message);
    asked.push({ name, type });
    const replied = reply({ name, type });
    if (replied !== undefined) socket.send(writeReply(message, replied), port, address);
  });
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  onTestFinished(() => void socket.close());
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
}

function resolver(options: ResolveOptions) {
  const lookup = vi.fn(() => Promise.resolve(OF_SYSTEM));
  return { lookup, resolve: createResolveHost({ lookup, ...options }) };
}

test('addresses come from DNS, and the system is not asked', async () => {
  const { servers } = await startDns(({ type }) => ({
    code: NO_ERROR,
    ...(type === A && { address: [192, 0, 2, 1] }),
  }));
  const { resolve, lookup } = resolver({ servers });
  expect(await resolve('hooks.example.com')).toEqual([{ address: '192.0.2.1', family: 4 }]);
  expect(lookup).not.toHaveBeenCalled();
});

test('the system is asked for a name that DNS does not know', async () => {
  const { servers } = await startDns(() => ({ code: NO_SUCH_NAME }));
  const { resolve, lookup } = resolver({ servers });
  expect(await resolve('receiver')).toEqual(OF_SYSTEM);
  expect(lookup).toHaveBeenCalledExactlyOnceWith('receiver');
});

test('the system is asked where there is no DNS server', async () => {
  const socket = createSocket('udp4');
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  const { port } = socket.address();
  await new Promise<void>((closed) => socket.close(closed));
  const { resolve } = resolver({ servers: [`127.0.0.1:${port}`] });
  expect(await resolve('receiver')).toEqual(OF_SYSTEM);
});

test('a DNS server that does not answer is given up, and the system, which would wait for it too, is not asked', async () => {
  const { servers, asked } = await startDns(() => undefined);
  const { resolve, lookup } = resolver({ servers, timeoutMs: 50 });
  await expect(resolve('hooks.example.com')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  expect(asked.length).toBeGreaterThan(0);
  expect(lookup).not.toHaveBeenCalled();
});

test('calls for a name that is being resolved share its addresses; the next one asks again', async () => {
  const { servers, asked } = await startDns(({ type }) => ({
    code: NO_ERROR,
    ...(type === A && { address: [192, 0, 2, 1] }),
  }));
  const { resolve } = resolver({ servers });
  const found = await Promise.all(Array.from({ length: 20 }, () => resolve('hooks.example.com')));
  expect(new Set(found).size).toBe(1);
  expect(asked).toHaveLength(2);
  await resolve('hooks.example.com');
  expect(asked).toHaveLength(4);
});

test('the system looks up one name at a time', async () => {
  const { servers } = await startDns(() => ({ code: NO_SUCH_NAME }));
  const [running, most] = [new Set<string>(), [] as number[]];
  const lookup = async (host: string) => {
    running.add(host);
    most.push(running.size);
    await new Promise((resolve) => setImmediate(resolve));
    running.delete(host);
    return OF_SYSTEM;
  };
  const resolve = createResolveHost({ servers, lookup });
  await Promise.all(['a', 'b', 'c'].map(resolve));
  expect(most).toEqual([1, 1, 1]);
});

test('localhost is this machine, whatever DNS says', async () => {
  const { servers, asked } = await startDns(() => undefined);
  const { resolve } = resolver({ servers });
  expect(await resolve('localhost')).toEqual(OF_SYSTEM);
  expect(asked).toEqual([]);
});
