import { serviceError } from '../../service-error.ts';
import type { Envelope } from './call.ts';
import { isText, type MemberSink, type Span } from '../../scan-json.ts';

const PLAIN_INTEGER = /^(?:0|[1-9]\d{0,19})$/;
const MAX_U64 = 2n ** 64n - 1n;
const MAX_U64_DIGITS = 20;

/** Where a message has its id and its params. Told of its members, it also notes what no message may have. */
export class MessageMembers implements MemberSink {
  id: Span | undefined;
  params: Span | undefined;
  /** No member is unknown or stands twice: nodes refuse such a message, and no two parsers may disagree about what it says. */
  isSound = true;
  hasTwoIds = false;
  #hasVersion = false;
  #hasMethod = false;

  onMember(name: string, start: number, end: number): void {
    switch (name) {
      case 'jsonrpc':
        if (this.#hasVersion) this.isSound = false;
        this.#hasVersion = true;
        return;
      case 'method':
        if (this.#hasMethod) this.isSound = false;
        this.#hasMethod = true;
        return;
      case 'id':
        if (this.id === undefined) this.id = { start, end };
        else this.hasTwoIds = true;
        return;
      case 'params':
        if (this.params === undefined) this.params = { start, end };
        else this.isSound = false;
        return;
      default:
        this.isSound = false;
    }
  }
}

/**
 * Reads the message that lies at a span of a body. `value` is what its bytes parse to.
 *
 * @throws ServiceError `parseError` on an id that cannot be read (object, array, boolean, or given twice).
 */
export function readEnvelope(
  body: Buffer,
  { start, end }: Span,
  members: MessageMembers,
  value: Readonly<Record<string, unknown>>,
): Envelope {
  const { id: idSpan, params: paramsSpan, isSound, hasTwoIds } = members;
  if (hasTwoIds || !isReadableId(value.id)) throw serviceError('parseError');
  const id = idSpan === undefined ? 'null' : readToken(body, idSpan, value.id);
  const { method, params, jsonrpc } = value;
  const isCall = typeof method === 'string' && (params === undefined || typeof params === 'object');
  const isVersion = jsonrpc === undefined || jsonrpc === null || jsonrpc === '2.0';
  if (!isSound || !isCall || !isVersion)
    return { kind: 'invalid', error: serviceError('invalidRequest'), id };
  if (jsonrpc !== '2.0') return { kind: 'invalid', error: serviceError('unsupportedVersion'), id };
  const isNotification = idSpan === undefined;
  const paramsAt = paramsSpan && { start: paramsSpan.start - start, end: paramsSpan.end - start };
  const raw = body.subarray(start, end);
  return {
    kind: 'call',
    call: { method, params, paramsAt, id, raw, idIsPlain: isPlainId(id), isNotification },
  };
}

/** The raw token of an id, which is parsed to `value`. Most are numbers as they are printed: to compare one costs less than to decode it. */
function readToken(body: Buffer, { start, end }: Span, value: unknown): string {
  const printed = typeof value === 'number' ? String(value) : '';
  return isText(body, start, end, printed) ? printed : body.toString('utf8', start, end);
}

/** Whether a parsed JSON value is an object, neither array nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a raw id token is one that nodes take and echo in the same bytes: null, a string without escapes, or an
 * integer from 0 to 2^64 − 1. Other numbers are valid JSON-RPC, but nodes refuse them.
 */
export function isPlainId(token: string): boolean {
  if (token.startsWith('"')) return !token.includes('\\');
  if (token === 'null') return true;
  return PLAIN_INTEGER.test(token) && (token.length < MAX_U64_DIGITS || BigInt(token) <= MAX_U64);
}

function isReadableId(id: unknown): boolean {
  return (
    id === undefined ||
    id === null ||
    typeof id === 'string' ||
    typeof id === 'number' ||
    typeof id === 'bigint'
  );
}
