import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectUnharmed,
  type OpenServer,
  openServer,
  peakDuring,
  postBody,
  residentBytes,
} from './open-server.ts';
import { echoResult } from '../server/scripted-node.ts';

// Memory is read from /proc.
const onLinux = test.skipIf(process.platform !== 'linux');

const MIB = 1024 * 1024;
/** A test that starts a server of its own alongside the others. */
const LONG_MS = 120_000;
const HEADERS = { 'content-type': 'application/json' };
const PROGRAM = '["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"]';
const accounts = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"getProgramAccounts","params":${PROGRAM}}`;

let server: OpenServer;

beforeAll(async () => {
  server = await openServer();
  await expectUnharmed(server, 1);
});

afterAll(() => server.close());

/** Sends a result of a number of MiB as fast as it is taken; returns the bytes taken so far. */
function sendMebibytes(response: ServerResponse, { id, count }: { id: number; count: number }): () => number {
  const chunk = Buffer.alloc(MIB / 4, 'x');
  let sent = 0;
  function* body(): Generator<string | Buffer> {
    yield `{"jsonrpc":"2.0","id":${id},"result":"`;
    for (; sent < count * MIB; sent += chunk.length) yield chunk;
    yield '"}';
  }
  response.writeHead(200, HEADERS);
  // A client that leaves ends it; what that is to do is said by the tests.
  pipeline(Readable.from(body()), response, () => undefined);
  return () => sent;
}

onLinux('an answer of 300 MB goes through without being held', async () => {
  const send = (count: number): Promise<void> => {
    server.node.play((response) => void sendMebibytes(response, { id: 1, count }));
    return readAnswer(count);
  };
  // The first answer grows the heap to what any answer needs.
  await send(100);
  const before = residentBytes(server.keyslot.pid);
  const grown = (await peakDuring(server.keyslot.pid, () => send(300))) - before;
  console.log(`an answer of 300 MiB: memory grew by ${Math.round(grown / MIB)} MiB`);
  expect(grown).toBeLessThan(95 * MIB);
});

async function readAnswer(count: number): Promise<void> {
  const body = accounts(1);
  const answer = await fetch(server.keyslot.rpcUrl, { method: 'POST', headers: HEADERS, body });
  let size = 0;
  for await (const chunk of answer.body ?? []) size += chunk.length;
  expect(size).toBe(count * MIB + '{"jsonrpc":"2.0","id":1,"result":""}'.length);
}

/** The number of blocks the node was asked for, without the calls for its health. */
const blocksAsked = ({ node }: OpenServer): number =>
  node.seen.filter(({ body }) => body.includes('"getBlock"')).length;

/** A connection that has sent a call and reads nothing of the answer. */
function callWithoutReading({ keyslot, target }: OpenServer, body: string): Socket {
  const socket = connect(Number(new URL(keyslot.baseUrl).port), '127.0.0.1').pause();
  const head = [`POST ${target} HTTP/1.1`, 'host: x', 'content-type: application/json'];
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  return socket.on('error', () => undefined);
}

onLinux('clients that stop reading hold a bounded buffer each, and leaving cancels their calls', async () => {
  const taken: (() => number)[] = [];
  const closed: Promise<unknown>[] = [];
  server.node.play((response) => {
    closed.push(once(response, 'close'));
    taken.push(sendMebibytes(response, { id: 1, count: 100 }));
  });
  const before = residentBytes(server.keyslot.pid);
  const sockets = Array.from({ length: 8 }, () => callWithoutReading(server, accounts(1)));
  const total = (): number => taken.reduce((sum, read) => sum + read(), 0);
  let last = -1;
  await expect
    .poll(
      () => {
        const isStill = taken.length === 8 && total() === last;
        last = total();
        return isStill;
      },
      { interval: 500, timeout: 20_000 },
    )
    .toBe(true);
  const grown = residentBytes(server.keyslot.pid) - before;
  console.log(`8 clients that read nothing: memory grew by ${Math.round(grown / MIB)} MiB`);
  console.log(
    `the node got rid of ${Math.round(last / MIB / 8)} MiB for each, socket buffers of the system included`,
  );
  expect(grown).toBeLessThan(48 * MIB);
  expect(last / 8).toBeLessThan(32 * MIB);
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  expect(total() / 8).toBeLessThan(48 * MIB);
  server.node.play(echoResult('1'));
  await expectUnharmed(server, 2);
});

onLinux(
  'clients that do not read answers that are kept hold no more of them than an account may',
  async () => {
    const own = await openServer({
      KEYSLOT_CACHE_MAX_BYTES: String(128 * MIB),
      KEYSLOT_MAX_HELD_REPLY_BYTES: String(64 * MIB),
    });
    try {
      const result = 'x'.repeat(15 * MIB);
      own.node.play((response) => {
        const answer = `{"jsonrpc":"2.0","id":1,"result":"${result}"}`;
        response.writeHead(200, { ...HEADERS, 'content-length': answer.length }).end(answer);
      });
      const block = (slot: number): string =>
        `{"jsonrpc":"2.0","id":1,"method":"getBlock","params":[${slot}]}`;
      const sockets: Socket[] = [];
      for (let slot = 0; slot < 16; slot += 1) {
        sockets.push(callWithoutReading(own, block(slot)));
        await expect.poll(() => blocksAsked(own)).toBe(slot + 1);
      }
      const held = async (): Promise<number> => {
        const metrics = await (await fetch(`${own.keyslot.baseUrl}/metrics`)).text();
        return Number(/^keyslot_held_reply_bytes (\d+)$/m.exec(metrics)?.[1]);
      };
      await expect.poll(held).toBeGreaterThan(28 * MIB);
      expect(await held()).toBeLessThanOrEqual(32 * MIB);
      // Those that found no room are streamed as they are read.
      const other = await fetch(own.keyslot.rpcUrl, { method: 'POST', headers: HEADERS, body: block(99) });
      expect(other.headers.get('cache-status')).toBe('Keyslot; fwd=miss');
      expect(await other.text()).toHaveLength(result.length + '{"jsonrpc":"2.0","id":1,"result":""}'.length);
      for (const socket of sockets) socket.destroy();
      await expect.poll(held).toBe(0);
    } finally {
      await own.close();
    }
  },
  LONG_MS,
);

onLinux(
  'ten batches of 60 MB at once stay within what all may hold; those without room are told so',
  async () => {
    server.node.play((response, seen, attempt) => {
      const { id } = JSON.parse(seen.body) as { id: number };
      if (id === 9) echoResult('1')(response, seen, attempt);
      else sendMebibytes(response, { id, count: 60 });
    });
    const before = residentBytes(server.keyslot.pid);
    const batch = `[${accounts(1)},${accounts(9)}]`;
    const answers: (readonly [number, number])[] = [];
    const sendAll = async (): Promise<void> => {
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const { status, text } = await postBody(server, batch);
          const [first] = JSON.parse(text) as readonly { error?: { code: number } }[];
          answers.push([status, first?.error?.code ?? text.length]);
        }),
      );
    };
    const grown = (await peakDuring(server.keyslot.pid, sendAll)) - before;
    const whole = answers.filter(([, told]) => told > 60 * MIB);
    console.log(
      `10 batches of 60 MiB: ${whole.length} answered, memory grew by ${Math.round(grown / MIB)} MiB`,
    );
    expect(answers.map(([status]) => status)).toEqual(Array(10).fill(200));
    expect(answers.filter(([, told]) => told < 60 * MIB)).toEqual(
      Array(10 - whole.length).fill([200, -32069]),
    );
    expect(whole.length).toBeGreaterThan(0);
    expect(grown).toBeLessThan(480 * MIB);
    const held = async (): Promise<string> => (await fetch(`${server.keyslot.baseUrl}/metrics`)).text();
    await expect.poll(held).toMatch(/^keyslot_held_reply_bytes 0$/m);
    server.node.play(echoResult('1'));
    await expectUnharmed(server, 3);
  },
);
