import { serviceError } from '../base/service-error.ts';
import type { Envelope } from './call.ts';
import { isText, type MemberSink, type Span } from './scan-json.ts';

const PLAIN_INTEGER = /^(?:0|[1-9]\d{0,19})$/;
const MAX_U64 = 2n ** 64n - 1n;
const MAX_U64_DIGITS = 20;

/** Records where the id and the params of a message are, and whether it has members that no message may have. */
export class MessageMembers implements MemberSink {
  ids = 0;
  idStart = 0;
  idEnd = 0;
  paramsStart = 0;
  /** 0: there are no params. */
  paramsEnd = 0;
  /** False if a member is unknown or appears twice: nodes reject such a message, and no two parsers may disagree about its meaning. */
  isSound = true;
  #versions = 0;
  #methods = 0;

  onMember(name: string, start: number, end: number): void {
    switch (name) {
      case 'jsonrpc':
        if (this.#versions++ > 0) this.isSound = false;
        return;
      case 'method':
        if (this.#methods++ > 0) this.isSound = false;
        return;
      case 'id':
        this.ids++;
        this.idStart = start;
        this.idEnd = end;
        return;
      case 'params':
        if (this.paramsEnd > 0) this.isSound = false;
        this.paramsStart = start;
        this.paramsEnd = end;
        return;
      default:
        this.isSound = false;
    }
  }

  /** Resets for the next message. */
  forget(): void {
    this.ids = 0;
    this.paramsEnd = 0;
    this.isSound = true;
    this.#versions = 0;
    this.#methods = 0;
  }
}

/**
 * Reads the message at a span of a body. `value` is the parsed message.
 *
 * @throws ServiceError `parseError` on an id that cannot be read (object, array, boolean, or given twice).
 */
export function readEnvelope(
  body: Buffer,
  { start, end }: Span,
  members: MessageMembers,
  value: Readonly<Record<string, unknown>>,
): Envelope {
  const { ids, paramsStart, paramsEnd, isSound } = members;
  if (ids > 1 || !isReadableId(value.id)) throw serviceError('parseError');
  const isNotification = ids === 0;
  const id = isNotification ? 'null' : readToken(body, members, value.id);
  const { method, params, jsonrpc } = value;
  const isCall = typeof method === 'string' && (params === undefined || typeof params === 'object');
  const isVersion = jsonrpc === undefined || jsonrpc === null || jsonrpc === '2.0';
  if (!isSound || !isCall || !isVersion)
    return { kind: 'invalid', error: serviceError('invalidRequest'), id };
  if (jsonrpc !== '2.0') return { kind: 'invalid', error: serviceError('unsupportedVersion'), id };
  const paramsAt = paramsEnd === 0 ? undefined : { start: paramsStart - start, end: paramsEnd - start };
  const raw = body.subarray(start, end);
  return {
    kind: 'call',
    call: { method, params, paramsAt, id, raw, idIsPlain: isPlainId(id), isNotification },
  };
}

/**
 * Returns the raw token of an id whose parsed form is `value`. Most ids are numbers in their printed form: comparing that is
 * cheaper than decoding the bytes.
 */
function readToken(body: Buffer, { idStart, idEnd }: MessageMembers, value: unknown): string {
  const printed = typeof value === 'number' ? String(value) : '';
  return isText(body, idStart, idEnd, printed) ? printed : body.toString('utf8', idStart, idEnd);
}

/** True for a parsed JSON object; false for an array or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * True if nodes accept a raw id token and echo the same bytes: null, a string without escapes, or an integer from 0 to 2^64 −
 * 1. Other numbers are valid JSON-RPC, but nodes reject them.
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
