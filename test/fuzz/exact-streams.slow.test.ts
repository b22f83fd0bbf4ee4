import { once } from 'node:events';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { CERT, KEY } from '../server/self-signed.ts';
import { type Gateway, startGateway } from '../server/start-gateway.ts';
import { tryCases } from './seeded.ts';

// Large answers go from what a connection to the node was read into straight to the client: this is whether they arrive as they were sent.

const TIMEOUT_MS = 120_000;
const trusted = getCACertificates('default');
const answers = new Map<string, { readonly body: Buffer; readonly isSized: boolean }>();

const answer: RequestListener = (request, response) => {
  let text = '';
  request.setEncoding('latin1').on('data', (part: string) => (text += part));
  request.on('end', () => {
    const { body, isSized } = answers.get(String(/"id":(\d+)/.exec(text)?.[1])) ?? {
      body: Buffer.from('{}'),
      isSized: true,
    };
    const length = isSized ? { 'content-length': body.length } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...length }).end(body);
  });
};

const nodes: readonly (readonly [name: string, server: Server])[] = [
  ['http', createHttp(answer)],
  ['https', createHttps({ cert: CERT, key: KEY }, answer)],
];
const gateways = new Map<string, Gateway>();

beforeAll(async () => {
  setDefaultCACertificates([...trusted, CERT]);
  for (const [name, server] of nodes) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    gateways.set(
      name,
      await startGateway({
        nodeUrls: [`${name}://localhost:${port}`],
        connections: 2,
        responseTimeoutMs: 60_000,
        maxBufferedBytes: 64 * 1024 * 1024,
      }),
    );
  }
});

afterAll(async () => {
  setDefaultCACertificates(trusted);
  for (const gateway of gateways.values()) await gateway.close();
  for (const [, server] of nodes) server.close();
});

let lastId = 0;

/** An answer whose every part tells whose it is and where it belongs. */
function answerFor(id: number, sizeBytes: number): Buffer {
  const head = `{"jsonrpc":"2.0","id":${id},"result":"`;
  const lines: string[] = [];
  for (let at = 0; at < sizeBytes; at += 16) lines.push(`${id}:${at}`.padEnd(16, '.'));
  return Buffer.from(`${head}${lines.join('')}"}`);
}

/** A client's way to ask and read: the bytes at once, and its pauses, in turns of the event loop. */
const reader = fc.record({
  /** Only what is asked for plainly is borrowed; a batch is read as a stream, and so is what node:http answers, as behind `Connection: close`. */
  asks: fc.constantFrom('plainly', 'plainly', 'inBatch', 'once'),
  sizeBytes: fc.oneof(
    fc.integer({ min: 60_000, max: 200_000 }),
    fc.integer({ min: 200_000, max: 12_000_000 }),
  ),
  isSized: fc.boolean(),
  step: fc.constantFrom(1_000, 65_536, 1_000_000),
  turns: fc.integer({ min: 0, max: 3 }),
  waits: fc.integer({ min: 0, max: 200 }),
  /** Leaves when it has read this share. */
  leaves: fc.option(fc.double({ min: 0, max: 0.9, noNaN: true }), { freq: 4 }),
});

type Reader = typeof reader extends fc.Arbitrary<infer T> ? T : never;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** True once enough has come; called with each part. */
type IsEnough = (part: Buffer) => boolean;

/** The bytes until it is enough or the connection ends, read as slowly as `how` says. */
async function readSlowly(socket: Socket, how: Reader, isEnough: IsEnough): Promise<Buffer> {
  const parts: Buffer[] = [];
  const ended = once(socket, 'close').then(() => 'ended' as const);
  await turns(how.waits);
  for (;;) {
    const part: Buffer | null = socket.read(Math.min(how.step, socket.readableLength));
    if (part === null) {
      if ((await Promise.race([once(socket, 'readable'), ended])) === 'ended') return Buffer.concat(parts);
    } else {
      parts.push(part);
      if (isEnough(part)) return Buffer.concat(parts);
      await turns(how.turns);
    }
  }
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

/** True once a whole response has come. */
function isWhole(): IsEnough {
  let head = '';
  let leftBytes: number | undefined;
  let tail = '';
  return (part) => {
    tail = `${tail}${part.toString('latin1', Math.max(0, part.length - LAST_CHUNK.length))}`.slice(
      -LAST_CHUNK.length,
    );
    if (leftBytes !== undefined) leftBytes -= part.length;
    else {
      head += part.toString('latin1');
      const end = head.indexOf(HEAD_END);
      if (end < 0) return false;
      const length = /content-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? Number.POSITIVE_INFINITY;
      leftBytes = Number(length) - (head.length - end - HEAD_END.length);
    }
    return leftBytes <= 0 || (leftBytes === Number.POSITIVE_INFINITY && tail === LAST_CHUNK);
  };
}

/** True once more bytes than the limit have come. */
function isAbove(limitBytes: number): IsEnough {
  let sizeBytes = 0;
  return (part) => {
    sizeBytes += part.length;
    return sizeBytes > limitBytes;
  };
}

/** The body of a whole response. */
function bodyOf(response: Buffer): Buffer {
  const bodyAt = response.indexOf(HEAD_END) + HEAD_END.length;
  if (!/transfer-encoding: chunked/i.test(response.toString('latin1', 0, bodyAt)))
    return response.subarray(bodyAt);
  const parts: Buffer[] = [];
  for (let at = bodyAt; ; ) {
    const lineEnd = response.indexOf('\r\n', at);
    const size = Number.parseInt(response.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(response.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 4 + size;
  }
}

async function ask(gateway: Gateway, client: Reader): Promise<void> {
  const id = ++lastId;
  const body = answerFor(id, client.sizeBytes);
  answers.set(String(id), { body, isSized: client.isSized });
  const { port, pathname, search } = new URL(gateway.rpcUrl);
  const call = `{"jsonrpc":"2.0","id":${id},"method":"getSlot"}`;
  const sent = client.asks === 'inBatch' ? `[${call}]` : call;
  const expected =
    client.asks === 'inBatch' ? Buffer.concat([Buffer.from('['), body, Buffer.from(']\n')]) : body;
  const connection = client.asks === 'once' ? 'close' : 'keep-alive';
  const head = `POST ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: ${connection}\r\n`;
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`${head}content-length: ${sent.length}\r\n\r\n${sent}`);
  const { leaves } = client;
  const response = await readSlowly(
    socket,
    client,
    leaves === null ? isWhole() : isAbove(body.length * leaves),
  );
  socket.destroy();
  if (leaves !== null) return;
  const received = bodyOf(response);
  if (!received.equals(expected)) throw new Error(differenceOf(received, expected));
  answers.delete(String(id));
}

function differenceOf(received: Buffer, sent: Buffer): string {
  const at = received.findIndex((byte, index) => byte !== sent[index]);
  const seen = received.toString('latin1', Math.max(0, at - 20), at + 40);
  return `${received.length} of ${sent.length} bytes, the first difference at ${at}: ${seen}`;
}

test.each(nodes.map(([name]) => name))(
  'large answers of a node over %s arrive as they were sent, however slowly each client reads, and if some leave',
  (name) =>
    tryCases(
      'exactStreams',
      fc.asyncProperty(fc.array(reader, { minLength: 1, maxLength: 8 }), async (clients) => {
        const gateway = gateways.get(name);
        if (gateway === undefined) throw new Error(`no gateway before a node over ${name}`);
        await Promise.all(clients.map((client) => ask(gateway, client)));
      }),
    ),
  TIMEOUT_MS,
);
