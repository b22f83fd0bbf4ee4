import { isUtf8 } from 'node:buffer';
import {
  parseJson,
  isText,
  measureJson,
  type MemberSink,
  type ObjectSink,
  scanObject,
  scanObjects,
  skipSpace,
  type Span,
  scanMembers,
} from './json.ts';
import { serviceError } from '../service-error.ts';
import type { CallLimits, Envelope, Message } from './call.ts';

/** serde_json, which nodes parse with, rejects the 128th level of nesting. */
const MAX_DEPTH = 127;
/** A batch of 100 calls with 200 addresses each has 21,000; more calls may have some more. */
const MAX_VALUES = 32_768;
const MORE_VALUES_BY_CALL = 16;
const OPEN_BRACKET = 0x5b;
const PLAIN_INTEGER = /^(?:0|[1-9]\d{0,19})$/;
const MAX_U64 = 2n ** 64n - 1n;
const MAX_U64_DIGITS = 20;

/**
 * Parses a body into its messages, as a ledger node would (ledger-rpc-facts 2.2, 2.3): one object, or an array of objects. A
 * fault of a single message is in its envelope; `params` are not checked here.
 *
 * @throws ServiceError `bodyNotUtf8`; before anything is parsed `batchTooLarge` above `maxBatchCalls`, `tooManyValues` above 32,768 and 16 for each such call;
 *   `parseError` if the body is not JSON, not an object or array of objects, nested deeper than nodes read, or holds an id that is neither
 *   a string, a number nor null.
 */
export function parseBody(body: Buffer, { maxBatchCalls }: Pick<CallLimits, 'maxBatchCalls'>): Message {
  if (!isUtf8(body)) throw serviceError('bodyNotUtf8');
  assertModest(body, maxBatchCalls);
  const value = parseText(body.toString('utf8'));
  if (!Array.isArray(value)) return { kind: 'single', envelope: readSingle(body, value) };
  const batch = new BatchReader(body, value);
  if (!scanObjects(body, batch)) throw serviceError('parseError');
  return { kind: 'batch', envelopes: batch.envelopes };
}

/** Returns the raw id to answer a message with as a whole: a single message's own, `null` for a batch. */
export function idOf(message: Message): string {
  if (message.kind === 'batch') return 'null';
  const { envelope } = message;
  return envelope.kind === 'call' ? envelope.call.id : envelope.id;
}

function readSingle(body: Buffer, value: unknown): Envelope {
  const members = new MessageMembers();
  if (!isObject(value) || !scanObject(body, members)) throw serviceError('parseError');
  return readEnvelope(body, { start: 0, end: body.length }, members, value);
}

/**
 * Parsing costs up to 250 ns for each level and 500 ns for each value. Each takes at least two bytes: most messages are too short to exceed
 * a limit.
 */
function assertModest(body: Buffer, maxBatchCalls: number): void {
  if (body.length <= 2 * Math.min(MAX_DEPTH, maxBatchCalls)) return;
  const { depth, values, items } = measureJson(body, MAX_DEPTH);
  if (depth > MAX_DEPTH) throw serviceError('parseError');
  if (items > maxBatchCalls && body[skipSpace(body, 0)] === OPEN_BRACKET)
    throw serviceError('batchTooLarge', { limit: maxBatchCalls, value: items });
  const limit = MAX_VALUES + MORE_VALUES_BY_CALL * maxBatchCalls;
  if (values > limit) throw serviceError('tooManyValues', { limit });
}

/** Reads the messages of a batch while its bytes are scanned. */
class BatchReader implements ObjectSink {
  readonly envelopes: Envelope[] = [];
  readonly #body: Buffer;
  readonly #values: readonly unknown[];
  readonly #members = new MessageMembers();

  constructor(body: Buffer, values: readonly unknown[]) {
    this.#body = body;
    this.#values = values;
  }

  onMember(name: string, start: number, end: number): void {
    this.#members.onMember(name, start, end);
  }

  onObject(start: number, end: number): void {
    const value = this.#values[this.envelopes.length];
    if (!isObject(value)) throw serviceError('parseError');
    this.envelopes.push(readEnvelope(this.#body, { start, end }, this.#members, value));
    this.#members.forget();
  }
}

function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw serviceError('parseError', {}, error);
  }
}

/** Records the positions of a message's id and params, and invalid members. */
class MessageMembers implements MemberSink {
  ids = 0;
  idStart = 0;
  idEnd = 0;
  paramsStart = 0;
  /** 0: no params. */
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
function readEnvelope(
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
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * True if nodes accept a raw id token and echo the same bytes: null, a string without escapes, or an integer from 0 to 2^64 −
 * 1. Other numbers are valid JSON-RPC, but nodes reject them.
 */
function isPlainId(token: string): boolean {
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

/** Returns the bytes of a call with the id 0 in place of its own, for a client id that nodes reject. */
export function withPlainId(raw: Buffer): Buffer {
  return replaceId(raw, '0') ?? raw;
}

/**
 * Returns a node's reply with the client's raw id token in place of the id. Undefined if the reply does not have exactly one id
 * member.
 */
export function withClientId(reply: Buffer, id: string): Buffer | undefined {
  return replaceId(reply, id);
}

function replaceId(bytes: Buffer, token: string): Buffer | undefined {
  const [span, ...others] = (scanMembers(bytes) ?? []).filter((member) => member.name === 'id');
  if (span === undefined || others.length > 0) return undefined;
  return Buffer.concat([bytes.subarray(0, span.start), Buffer.from(token), bytes.subarray(span.end)]);
}
