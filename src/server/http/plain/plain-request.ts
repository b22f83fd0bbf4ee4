import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { KeyMemo } from '../../../account/identity/api-keys/keyring.ts';

/** A head with the results of reading it. */
export type RepeatedHead = PlainHead & { readonly keyMemo: KeyMemo };

/** A POST whose body arrived with its head: the members of `IncomingMessage` that handlers read, without being a stream. */
export class PlainRequest {
  readonly method = 'POST';
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  readonly body: Buffer;
  /** Shared by the requests of a connection that repeat their head. */
  readonly keyMemo: KeyMemo;

  constructor({ url, headers, keyMemo }: RepeatedHead, body: Buffer, socket: Socket) {
    this.url = url;
    this.headers = headers;
    this.socket = socket;
    this.body = body;
    this.keyMemo = keyMemo;
  }
}

/** The head of a request in the simplest form of HTTP/1.1. */
type PlainHead = {
  /** The request target, in origin form. */
  readonly url: string;
  /** Names in lower case; each appeared once. */
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: number;
};

const REQUEST_LINE = /^POST (\/[\x21-\x7e]*) HTTP\/1\.1$/;
/** No white space can match two parts of the pattern: otherwise a long run of it would take quadratic time. */
const FIELD_LINE = /^([!#$%&'*+\-.^`|~0-9A-Za-z]+):[ \t]*(?:([\x21-\x7e]+(?:[ \t]+[\x21-\x7e]+)*)[ \t]*)?$/;
const LENGTH = /^(?:0|[1-9]\d{0,8})$/;
/** node:http rejects a head with more than a thousand fields; a plain one has less than a tenth of that. */
const MAX_FIELDS = 100;
/** Fields that frame the message, ask for more than an answer, or are interpreted by node:http in its own way. */
const NOT_PLAIN: ReadonlySet<string> = new Set([
  ...['transfer-encoding', 'expect', 'upgrade', 'te', 'trailer'],
  ...['proxy-connection', 'set-cookie'],
]);

/**
 * Reads the head of a POST, the text before the empty line. Undefined for anything but the simplest form, valid or not: another
 * method, a field twice, a body of unknown length, an underscore in a name, anything but visible ASCII. node:http reads those
 * (RFC 9112).
 */
export function readPlainHead(text: string): PlainHead | undefined {
  const [first = '', ...lines] = text.split('\r\n');
  const url = REQUEST_LINE.exec(first)?.[1];
  const headers = url === undefined ? undefined : readFields(lines);
  if (url === undefined || headers === undefined) return undefined;
  const { host, connection = 'keep-alive', 'content-length': length = '' } = headers;
  if (host === undefined || connection.toLowerCase() !== 'keep-alive' || !LENGTH.test(length))
    return undefined;
  return { url, headers, bodyBytes: Number(length) };
}

function readFields(lines: readonly string[]): IncomingHttpHeaders | undefined {
  if (lines.length > MAX_FIELDS) return undefined;
  const headers: IncomingHttpHeaders = Object.create(null);
  for (const line of lines) {
    const [, name = '', value = ''] = FIELD_LINE.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === '' || key in headers || NOT_PLAIN.has(key)) return undefined;
    headers[key] = value;
  }
  return headers;
}
