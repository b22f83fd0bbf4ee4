import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPlainHead } from '../../src/server/http/plain/plain-request.ts';
import { AMBIGUOUS } from '../fuzz/hostile-requests.ts';
import { rounds } from '../support/tier.ts';

const FIELDS = ['Host: x', 'Content-Type: application/json', 'Content-Length: 3'];

function headOf(fields: readonly string[], line = 'POST /solana-localnet?apikey=ks HTTP/1.1'): string {
  return [line, ...fields].join('\r\n');
}

test('the head of a plain POST is read', () => {
  expect(
    readPlainHead(headOf([...FIELDS, 'X-Odd:\t a  b \t', 'X-Empty:', 'Connection: Keep-Alive'])),
  ).toEqual({
    url: '/solana-localnet?apikey=ks',
    bodyBytes: 3,
    headers: {
      host: 'x',
      'content-type': 'application/json',
      'content-length': '3',
      'x-odd': 'a  b',
      'x-empty': '',
      connection: 'Keep-Alive',
    },
  });
});

test.each([
  ['another method', headOf(FIELDS, 'GET / HTTP/1.1')],
  ['an older version', headOf(FIELDS, 'POST / HTTP/1.0')],
  ['a target in absolute form', headOf(FIELDS, 'POST http://x/ HTTP/1.1')],
  ['a target with a space', headOf(FIELDS, 'POST /a b HTTP/1.1')],
  ['a target beyond ASCII', headOf(FIELDS, 'POST /\u00e9 HTTP/1.1')],
  ['no host', headOf(FIELDS.slice(1))],
  ['two hosts', headOf([...FIELDS, 'host: y'])],
  ['no length', headOf(FIELDS.slice(0, 2))],
  ['two lengths that agree', headOf([...FIELDS, 'content-length: 3'])],
  ['a length of ten digits', headOf([...FIELDS.slice(0, 2), 'content-length: 1000000000'])],
  ['the end of the connection', headOf([...FIELDS, 'connection: close'])],
  ['a connection with options', headOf([...FIELDS, 'connection: keep-alive, upgrade'])],
  ['an upgrade', headOf([...FIELDS, 'upgrade: websocket'])],
  ['an expectation', headOf([...FIELDS, 'expect: 100-continue'])],
  ['a folded line', headOf([...FIELDS, 'x-long: a\r\n b'])],
  ['a name with an underscore', headOf([...FIELDS, 'x_y: z'])],
  ['a value beyond ASCII', headOf([...FIELDS, 'x: \u00e9'])],
  ['a bare line feed', headOf([...FIELDS, 'x: a\ny: b'])],
  ['a bare carriage return', headOf([...FIELDS, 'x: a\ry: b'])],
  ['a NUL', headOf([...FIELDS, 'x: \u0000'])],
  ['cookies of an answer, which node:http lists', headOf([...FIELDS, 'set-cookie: a=b'])],
  ['the end of the connection, as proxies say it', headOf([...FIELDS, 'proxy-connection: close'])],
  ['more than 100 fields', headOf([...FIELDS, ...Array.from({ length: 98 }, (_, index) => `x${index}: y`)])],
  ['__proto__', headOf([...FIELDS, '__proto__: x'])],
])('a head with %s is left to node:http', (_what, head) => {
  expect(readPlainHead(head)).toBeUndefined();
});

test('a head with 100 fields is read', () => {
  const more = Array.from({ length: 97 }, (_, index) => `x${index}: y`);
  expect(readPlainHead(headOf([...FIELDS, ...more]))?.headers.x96).toBe('y');
});

test('a long head takes the time of a plain one, whatever it repeats', () => {
  const timeOnce = (head: string): number => {
    const startMs = performance.now();
    for (let at = 0; at < 20; at += 1) readPlainHead(head);
    return performance.now() - startMs;
  };
  /** The least of three: a process may stand still in any of them. */
  const timeOf = (repeated: string, end: string): number => {
    const head = headOf([...FIELDS, `x:${repeated.repeat(16_000 / repeated.length)}${end}`]);
    return Math.min(timeOnce(head), timeOnce(head), timeOnce(head));
  };
  const plainMs = Math.max(timeOf('a', ''), timeOf('a', ''));
  for (const repeated of [' ', '\t', ' \t', 'a ', 'a', ':', ' a'])
    for (const end of ['', '\u0000', '\u00e9', ' \u0000'])
      expect([repeated, end, timeOf(repeated, end) < 1_000 * plainMs]).toEqual([repeated, end, true]);
});

test.each(AMBIGUOUS.map((fields) => [fields] as const))(
  'ambiguous framing %j is left to node:http',
  (fields) => {
    const head = readPlainHead(headOf([...FIELDS.slice(0, 2), ...fields]));
    expect(head).toBeUndefined();
  },
);

type Told = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string };

let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const told = { url: request.url, headers: request.headers, body: Buffer.concat(parts).toString() };
      response.end(JSON.stringify(told));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

/** The request as node:http reads it; undefined if it refused it. */
async function readByNode(bytes: string): Promise<Told | undefined> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.end(bytes, 'latin1');
  const answer = await text(socket);
  const body = /\r\n\r\n[^{]*(\{.*\})/s.exec(answer)?.[1];
  return answer.startsWith('HTTP/1.1 200') && body !== undefined ? JSON.parse(body) : undefined;
}

const token = fc.oneof(
  {
    arbitrary: fc.string({ unit: fc.constantFrom(...'aZ09-!#_~:'.split('')), minLength: 1, maxLength: 6 }),
    weight: 5,
  },
  fc.constantFrom(
    'Set-Cookie',
    'Cookie',
    'Proxy-Connection',
    'Keep-Alive',
    'Connection',
    'X-Forwarded-For',
    'Age',
  ),
);
const value = fc.string({ unit: fc.constantFrom(...'a Z\t09,;:"\u00e9\u0000\r\n'.split('')), maxLength: 8 });
const field = fc.tuple(token, fc.constantFrom(':', ': ', ' :', ':\t'), value).map((parts) => parts.join(''));
const line = fc.constantFrom(
  'POST /a?b=c HTTP/1.1',
  'POST /a HTTP/1.1',
  'POST /a#b HTTP/1.1',
  'POST /\u0080 HTTP/1.1',
);

test('whatever is read is what node:http reads', async () => {
  let plain = 0;
  const property = fc.asyncProperty(line, fc.array(field, { maxLength: 4 }), async (first, odd) => {
    const sent = headOf([...FIELDS, ...odd], first);
    const head = readPlainHead(sent);
    if (head === undefined) return;
    plain += 1;
    const told = await readByNode(`${sent}\r\n\r\nabc`);
    expect(told).toEqual({ url: head.url, headers: { ...head.headers }, body: 'abc' });
  });
  await fc.assert(property, { numRuns: rounds(1_500) });
  expect(plain).toBeGreaterThan(rounds(100));
});
