/** The end of a body (RFC 9112, section 6.3) is marked by its size, the chunked coding, or the end of the connection. */
export type BodyForm =
  | { readonly kind: 'sized'; readonly sizeBytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'untilEnd' };

/** The parts of a response head that are used. */
export type ResponseHead = {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly body: BodyForm;
  /** Milliseconds that the connection may idle after this response; 0: it ends with it. */
  readonly idleMs: number;
};

/** Thrown for a response that two parsers could read differently. */
export class ResponseFault extends Error {
  override readonly name = 'ResponseFault';
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
/** A field name and the rest of the line. `trimBlanks` handles the white space, so that no part of a long line is scanned twice. */
const FIELD_LINE = /^([!#$%&'*+\-.^`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
const LENGTH = /^\d{1,15}$/;
const TIMEOUT = /(?:^|[\s,])timeout=(\d{1,6})(?:$|[\s,])/i;
/** Most servers keep idle connections for five seconds; a request must not cross their close. */
export const IDLE_MS = 4_000;
const IDLE_MARGIN_MS = 1_000;
/** Fields that may appear only once: with two of them, readers would disagree about which one counts. */
const SINGLE: ReadonlySet<string> = new Set([
  ...['content-length', 'transfer-encoding', 'content-type', 'content-encoding'],
]);

type Fields = ReadonlyMap<string, string>;

/** Reads the head of a response, the text before the empty line. Throws `ResponseFault` for anything that is not exactly HTTP/1. */
export function readResponseHead(text: string): ResponseHead {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor = '', code = ''] = STATUS_LINE.exec(first) ?? fault('invalid status line');
  const status = Number(code);
  if (minor === '0' && status < 200) fault('interim response in HTTP/1.0');
  const fields = readFields(lines);
  const body = readBodyForm(status, fields);
  const isLast = minor === '0' || body.kind === 'untilEnd';
  return {
    status,
    body,
    contentType: fields.get('content-type'),
    contentEncoding: fields.get('content-encoding'),
    idleMs: isLast ? 0 : readIdleMs(fields),
  };
}

/** True if a line may stand in a trailer: a field that does not affect how the response is read (RFC 9110, section 6.5.1). */
export function isTrailerField(line: string): boolean {
  const name = FIELD_LINE.exec(line)?.[1];
  return name !== undefined && !SINGLE.has(name.toLowerCase());
}

function readFields(lines: readonly string[]): Fields {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', rest = ''] = FIELD_LINE.exec(line) ?? fault('invalid header line');
    const key = name.toLowerCase();
    const value = trimBlanks(rest);
    const known = fields.get(key);
    if (known !== undefined && SINGLE.has(key)) fault(`duplicate header ${key}`);
    fields.set(key, known === undefined ? value : `${known}, ${value}`);
  }
  return fields;
}

/** Removes spaces and tabs at both ends; other Unicode white space is part of the value. */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function readBodyForm(status: number, fields: Fields): BodyForm {
  const coding = fields.get('transfer-encoding');
  const length = fields.get('content-length');
  if (coding !== undefined && length !== undefined) fault('both Content-Length and Transfer-Encoding');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') fault('unsupported Transfer-Encoding');
  if (length !== undefined && !LENGTH.test(length)) fault('invalid Content-Length');
  if (status < 200 || status === 204 || status === 304) return { kind: 'sized', sizeBytes: 0 };
  if (coding !== undefined) return { kind: 'chunked' };
  return length === undefined ? { kind: 'untilEnd' } : { kind: 'sized', sizeBytes: Number(length) };
}

function readIdleMs(fields: Fields): number {
  const options = (fields.get('connection') ?? '').toLowerCase().split(/[\s,]+/);
  if (options.includes('close')) return 0;
  const granted = TIMEOUT.exec(fields.get('keep-alive') ?? '')?.[1];
  if (granted === undefined) return IDLE_MS;
  return Math.max(0, Math.min(IDLE_MS, Number(granted) * 1_000 - IDLE_MARGIN_MS));
}

function fault(what: string): never {
  throw new ResponseFault(what);
}
