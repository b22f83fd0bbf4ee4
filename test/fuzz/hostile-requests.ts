import fc from 'fast-check';
import { mutated } from './hostile-bodies.ts';

/** The call that hostile requests carry; a node may see it, and nothing else. */
export const CARRIED = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
/** The call that a smuggled request carries; no node may ever see it. */
export const SMUGGLED = '{"jsonrpc":"2.0","id":666,"method":"getSlot"}';

const LENGTH = String(CARRIED.length);

/** Two ways to say where a body ends, or one that parsers read differently (RFC 9112, sections 6 and 11.2). */
export const AMBIGUOUS: readonly (readonly string[])[] = [
  [`content-length: ${LENGTH}`, 'transfer-encoding: chunked'],
  ['transfer-encoding: chunked', `content-length: ${LENGTH}`],
  [`content-length: ${LENGTH}`, 'content-length: 0'],
  [`content-length: ${LENGTH}, 0`],
  [`content-length: ${LENGTH}`, `content-length: ${LENGTH}0`],
  [`content-length: +${LENGTH}`],
  [`content-length: -${LENGTH}`],
  [`content-length: 0x${CARRIED.length.toString(16)}`],
  [`content-length: ${LENGTH}\u000b`],
  [`content-length : ${LENGTH}`],
  [` content-length: ${LENGTH}`],
  [`content-length: 99999999999999999999`],
  ['transfer-encoding: identity', `content-length: ${LENGTH}`],
  ['transfer-encoding: xchunked'],
  ['transfer-encoding: chunked, identity'],
  ['transfer-encoding: chunked', 'transfer-encoding: cow'],
  ['transfer-encoding : chunked'],
  ['transfer-encoding:\u000bchunked'],
  ['transfer-encoding: \u0000chunked'],
  ['transfer_encoding: chunked', 'transfer-encoding: xx'],
];

/** A request, as the bytes of a socket. */
export function requestText(target: string, headers: readonly string[], body = CARRIED): string {
  const head = [`POST ${target} HTTP/1.1`, 'host: x', 'content-type: application/json', ...headers];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Requests that may follow an ambiguous one on its connection: a second one, within or behind a body of chunks. */
export function withSmuggled(target: string, headers: readonly string[]): readonly string[] {
  const hidden = requestText(target, [`content-length: ${SMUGGLED.length}`], SMUGGLED);
  const chunked = `${CARRIED.length.toString(16)}\r\n${CARRIED}\r\n0\r\n\r\n`;
  return [CARRIED, chunked, '0\r\n\r\n'].map((body) => `${requestText(target, headers, body)}${hidden}`);
}

const framings: readonly (readonly [readonly string[], string])[] = [
  [[`content-length: ${LENGTH}`], CARRIED],
  [['transfer-encoding: chunked'], `${CARRIED.length.toString(16)}\r\n${CARRIED}\r\n0\r\n\r\n`],
  [['transfer-encoding: chunked'], `${CARRIED.length.toString(16)};a=b\r\n${CARRIED}\r\n0\r\nx: y\r\n\r\n`],
  [['transfer-encoding: chunked'], `fffffffffffffffff\r\n${CARRIED}`],
  [['expect: 100-continue', `content-length: ${LENGTH}`], CARRIED],
  [['expect: the-impossible', `content-length: ${LENGTH}`], CARRIED],
  [['connection: upgrade', 'upgrade: websocket', `content-length: ${LENGTH}`], CARRIED],
  [[`x-large: ${'x'.repeat(20_000)}`, `content-length: ${LENGTH}`], CARRIED],
  [[...Array.from({ length: 500 }, (_, index) => `x-${index}: y`), `content-length: ${LENGTH}`], CARRIED],
];

/** The end of a client's data: it waits, closes its side, or is gone in the middle. */
export const ending = fc.constantFrom('wait', 'half', 'reset');

/** Whole requests with bytes cut, changed, put in or left out, sent in parts of any size. */
export function hostileRequest(target: string) {
  const whole = fc.oneof(
    fc.constantFrom(...framings).map(([headers, body]) => requestText(target, headers, body)),
    fc.constantFrom(...AMBIGUOUS).map((headers) => requestText(target, headers)),
    fc
      .constantFrom('GET', 'TRACE', 'CONNECT', 'PRI', 'post', '\u0000')
      .map((method) => `${method} ${target} HTTP/1.1\r\nhost: x\r\n\r\n`),
  );
  const bytes = mutated(whole.map((text) => Buffer.from(text, 'latin1')));
  return fc.record({ bytes, parts: fc.integer({ min: 1, max: 3 }), end: ending });
}
