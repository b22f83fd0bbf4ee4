import { expect, test } from 'vitest';
import { readResponseHead, ResponseFault } from '../../../../src/gateway/nodes/http/response-head.ts';

function head(...lines: readonly string[]): string {
  return ['HTTP/1.1 200 OK', ...lines].join('\r\n');
}

test('what a node says of its answer is read', () => {
  const text = head('Content-Type:\t application/json \t', 'CONTENT-LENGTH: 12', 'X-Odd: \xa0a: b\xe9');
  expect(readResponseHead(text)).toEqual({
    status: 200,
    contentType: 'application/json',
    contentEncoding: undefined,
    idleMs: 4_000,
    body: { kind: 'sized', sizeBytes: 12 },
  });
});

test.each([
  ['a length', head('content-length: 0'), { kind: 'sized', sizeBytes: 0 }],
  ['chunks', head('transfer-encoding: Chunked'), { kind: 'chunked' }],
  ['neither', head(), { kind: 'untilEnd' }],
  [
    'a status without a body',
    'HTTP/1.1 204 No Content\r\ncontent-length: 5',
    { kind: 'sized', sizeBytes: 0 },
  ],
  ['an interim status', 'HTTP/1.1 103 Early Hints', { kind: 'sized', sizeBytes: 0 }],
])('the form of a body with %s', (_what, text, body) => {
  expect(readResponseHead(text).body).toEqual(body);
});

test.each([
  ['nothing said', head('content-length: 0'), 4_000],
  ['a grant above four seconds', head('content-length: 0', 'keep-alive: timeout=60, max=5'), 4_000],
  ['a grant of three seconds', head('content-length: 0', 'keep-alive: max=5, timeout=3'), 2_000],
  ['a grant of one second', head('content-length: 0', 'keep-alive: timeout=1'), 0],
  ['the end announced', head('content-length: 0', 'connection: Close'), 0],
  ['the end announced among options', head('content-length: 0', 'connection: x', 'connection: y, close'), 0],
  ['a body until the end', head(), 0],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0', 0],
])('with %s the connection is used again for so long', (_what, text, idleMs) => {
  expect(readResponseHead(text).idleMs).toBe(idleMs);
});

test.each([
  ['no HTTP', 'SSH-2.0-OpenSSH'],
  ['another version', 'HTTP/2.0 200 OK'],
  ['no status', 'HTTP/1.1 OK'],
  ['a status of two digits', 'HTTP/1.1 20 OK'],
  ['a status below 100', 'HTTP/1.1 099 OK'],
  ['an interim status of HTTP/1.0', 'HTTP/1.0 100 Continue'],
  ['a bare line feed', head('content-type: a\ncontent-length: 1')],
  ['a bare carriage return', head('x: a\rb')],
  ['a NUL', head('x: a\u0000')],
  ['a folded line', head('x: a', ' b')],
  ['a space before the colon', head('content-length : 1')],
  ['a line without a colon', head('content-length')],
  ['a field without a name', head(': 1')],
  ['two lengths', head('content-length: 1', 'content-length: 2')],
  ['two lengths that agree', head('content-length: 1', 'Content-Length: 1')],
  ['a list of lengths', head('content-length: 1, 1')],
  ['a negative length', head('content-length: -1')],
  ['a length with a sign', head('content-length: +1')],
  ['a length in hexadecimal', head('content-length: 0x1')],
  ['an empty length', head('content-length:')],
  ['a length behind a no-break space', head('content-length: \xa01')],
  ['a length above all that can be counted', head('content-length: 9007199254740993')],
  ['a length and chunks', head('content-length: 1', 'transfer-encoding: chunked')],
  ['a transfer coding but chunked', head('transfer-encoding: gzip, chunked')],
  ['chunked twice', head('transfer-encoding: chunked', 'transfer-encoding: chunked')],
  ['two content types', head('content-type: application/json', 'content-type: text/html')],
])('a head with %s is refused', (_what, text) => {
  expect(() => readResponseHead(text)).toThrow(ResponseFault);
});

test('a long head takes the time of a plain one, whatever it repeats', () => {
  const timeOf = (repeated: string, end: string): number => {
    const text = head(`x:${repeated.repeat(16_000 / repeated.length)}${end}`);
    const startMs = performance.now();
    for (let at = 0; at < 20; at += 1) {
      try {
        readResponseHead(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ResponseFault);
      }
    }
    return performance.now() - startMs;
  };
  const plainMs = Math.max(timeOf('a', ''), timeOf('a', ''));
  for (const repeated of [' ', '\t', ' \t', 'a ', 'a', ':', ' a', ', timeout='])
    for (const end of ['', '\u0000', ' \u0000'])
      expect([repeated, end, timeOf(repeated, end) < 1_000 * plainMs]).toEqual([repeated, end, true]);
});
