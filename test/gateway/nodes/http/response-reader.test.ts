import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ResponseFault, type ResponseHead } from '../../../../src/gateway/nodes/http/response-head.ts';
import { ResponseReader } from '../../../../src/gateway/nodes/http/response-reader.ts';
import { type RawNode, startRawNode } from './raw-node.ts';
import { rounds } from '../../../support/tier.ts';

type Outcome = { readonly status: number; readonly body: string } | 'fault' | 'unfinished';

/** Reads one response from parts, as a connection would whose other end then closes. */
function read(parts: readonly Buffer[]): Outcome {
  const reader = new ResponseReader();
  const body: Buffer[] = [];
  let head: ResponseHead | undefined;
  let ends = 0;
  reader.begin({
    onHead: (next) => {
      expect(head).toBeUndefined();
      head = next;
    },
    onData: (data) => {
      expect([head !== undefined, ends, data.length > 0]).toEqual([true, 0, true]);
      body.push(data);
    },
    onEnd: () => {
      ends += 1;
    },
  });
  try {
    for (const part of parts) if (reader.read(part) !== undefined) break;
    if (ends === 0) reader.end();
  } catch (error) {
    if (!(error instanceof ResponseFault)) throw error;
    return 'fault';
  }
  expect(ends).toBeLessThanOrEqual(1);
  if (ends === 0 || head === undefined) return 'unfinished';
  return { status: head.status, body: Buffer.concat(body).toString('latin1') };
}

function cut(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at
    .slice(1)
    .map((end, index) => bytes.subarray(at[index], end))
    .filter(({ length }) => length > 0);
}

const PLACES = fc.array(fc.nat(100_000), { maxLength: 12 });
const BODY = fc.oneof(fc.string({ unit: 'binary-ascii', maxLength: 60 }), fc.constant('x'.repeat(70_000)));
const BLANK = fc.stringMatching(/^[ \t]{0,3}$/);
const FIELD = fc
  .tuple(fc.stringMatching(/^[xX]-[a-zA-Z]{1,6}$/), BLANK, fc.stringMatching(/^[!-~\xa0-\xff]{0,8}$/), BLANK)
  .map(([name, before, value, after]) => `${name}:${before}${value}${after}`);
const FIELDS = fc.array(FIELD, { maxLength: 4 });
const INTERIM = fc.array(fc.constantFrom('HTTP/1.1 100 Continue', 'HTTP/1.1 103 Early Hints\r\nlink: x'), {
  maxLength: 2,
});
const EXTENSION = fc.constantFrom('', ';a', ';a=b', ';a="b c"');

const CHUNKED = fc
  .tuple(BODY, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }), EXTENSION, FIELDS)
  .map(([body, sizes, extension, trailer]) => {
    let text = '';
    for (let at = 0, turn = 0; at < body.length; turn += 1) {
      const data = body.slice(at, at + (turn < sizes.length ? (sizes[turn] ?? 1) : body.length));
      text += `${data.length.toString(16)}${extension}\r\n${data}\r\n`;
      at += data.length;
    }
    const fields = trailer.map((line) => `${line}\r\n`).join('');
    return { body, fields: ['transfer-encoding: chunked'], text: `${text}0${extension}\r\n${fields}\r\n` };
  });
const SIZED = BODY.map((body) => ({ body, fields: [`content-length: ${body.length}`], text: body }));
const UNTIL_END = BODY.map((body) => ({ body, fields: [], text: body }));

const RESPONSE = fc
  .tuple(fc.oneof(CHUNKED, SIZED, UNTIL_END), FIELDS, INTERIM, fc.constantFrom(200, 429, 500))
  .map(([framed, fields, interim, status]) => ({
    status,
    body: framed.body,
    text: [
      ...interim.map((lines) => `${lines}\r\n\r\n`),
      [`HTTP/1.1 ${status} X`, ...fields, ...framed.fields].join('\r\n'),
      `\r\n\r\n${framed.text}`,
    ].join(''),
  }));

let node: RawNode;

beforeAll(async () => {
  node = await startRawNode();
});

afterAll(() => node.close());

/** The result of node:http for the same bytes, after which the connection closes. */
function readByNode(text: string): Promise<Outcome> {
  node.play((socket) => void socket.end(Buffer.from(text, 'latin1')));
  return new Promise((resolve) => {
    const fail = (): void => resolve('fault');
    request({ port: node.port, host: '127.0.0.1', method: 'POST', agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part)).on('error', fail);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString('latin1') });
      });
    })
      .on('error', fail)
      .end('{}');
  });
}

test('a response is read alike wherever it is cut', () => {
  fc.assert(
    fc.property(RESPONSE, PLACES, ({ status, body, text }, places) => {
      expect(read(cut(text, places))).toEqual({ status, body });
    }),
    { numRuns: rounds(2_000) },
  );
});

test('chunks that came in one read are handed on in one piece', () => {
  const reader = new ResponseReader();
  const pieces: string[] = [];
  reader.begin({
    onHead: () => undefined,
    onData: (data) => void pieces.push(String(data)),
    onEnd: () => undefined,
  });
  const chunk = (data: string): string => `${data.length.toString(16)}\r\n${data}\r\n`;
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  reader.read(Buffer.from(`${head}${chunk('one ')}${chunk('two ')}6\r\nthr`));
  reader.read(Buffer.from(`ee \r\n${chunk('four')}0\r\n\r\n`));
  expect(pieces).toEqual(['one two thr', 'ee four']);
});

test('byte by byte it is read alike too', () => {
  fc.assert(
    fc.property(RESPONSE, ({ status, body, text }) => {
      fc.pre(text.length < 2_000);
      expect(
        read(
          cut(
            text,
            Array.from(text, (_, at) => at),
          ),
        ),
      ).toEqual({ status, body });
    }),
  );
});

test('node:http reads the same', async () => {
  await fc.assert(
    fc.asyncProperty(RESPONSE, async ({ status, body, text }) => {
      expect(await readByNode(text)).toEqual({ status, body });
    }),
    { numRuns: rounds(100) },
  );
});

const ODD = fc.constantFrom(
  ...['\r', '\n', '\r\n', '\r\n\r\n', '\u0000', ' ', ':', '0', '5', 'f', ',', ';', 'chunked', '\xff'],
  ...['content-length: 3\r\n', 'transfer-encoding: chunked\r\n', 'HTTP/1.1 200 OK\r\n', '\r\n0\r\n\r\n'],
);

test('what is taken of a damaged response, node:http takes too and reads the same', async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(RESPONSE, ODD, fc.nat(400), fc.nat(2), async ({ text }, odd, place, lost) => {
      const at = place % Math.min(text.length, 400);
      const damaged = text.slice(0, at) + odd + text.slice(at + lost);
      const outcome = read([Buffer.from(damaged, 'latin1')]);
      if (typeof outcome === 'string') return;
      taken += 1;
      expect(await readByNode(damaged)).toEqual(outcome);
    }),
    { numRuns: 400 },
  );
  expect(taken).toBeGreaterThan(20);
});

test('whatever comes, it ends in a response, a fault or nothing', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(ODD).map((odd) => Buffer.from(odd.join(''), 'latin1')),
  );
  fc.assert(
    fc.property(fc.option(RESPONSE), bytes, PLACES, (response, more, places) => {
      read(cut(`${response?.text ?? ''}${Buffer.from(more).toString('latin1')}`, places));
    }),
    { numRuns: rounds(3_000) },
  );
});

test.each([
  ['a head of more than 16 KiB', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(16_400)}`],
  ['interim heads of more than 16 KiB', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(700)],
  ['a change of the protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n;a\r\n'],
  ['a chunk of a negative size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n'],
  ['a chunk size with white space', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1 \r\n'],
  ['a chunk of nine digits', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n000000001\r\n'],
  [
    'a chunk that is longer than its size line says',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n',
  ],
  ['a size line that ends in a line feed', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\nab'],
  ['a size line without end', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${'a'.repeat(5_000)}`],
  [
    'a trailer without end',
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(5_000)}`,
  ],
  [
    'a trailer with a length',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\ncontent-length: 3\r\n\r\n',
  ],
  [
    'a trailer that is no field',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nGET / HTTP/1.1\r\n\r\n',
  ],
])('%s is a fault', (_what, text) => {
  expect(read([Buffer.from(text, 'latin1')])).toBe('fault');
});

test.each([
  ['within its head', 'HTTP/1.1 200 OK\r\ncontent-'],
  ['behind an interim head', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['within a body of known size', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab'],
  ['within a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nab'],
  ['before the last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n'],
  ['within the trailer', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n'],
])('a response that breaks off %s has not ended', (_where, text) => {
  expect(read([Buffer.from(text, 'latin1')])).toBe('unfinished');
});

test('bytes behind the body end the connection, not the response', () => {
  const reader = new ResponseReader();
  const onEnd = vi.fn();
  reader.begin({ onHead: () => undefined, onData: () => undefined, onEnd });
  const bytes = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n');
  expect(() => reader.read(bytes)).toThrow(ResponseFault);
  expect(onEnd).toHaveBeenCalledOnce();
});

test('bytes that nobody asked for are a fault', () => {
  expect(() => new ResponseReader().read(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow(ResponseFault);
});
