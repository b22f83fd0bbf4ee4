import { serviceError } from '../../service-error.ts';
import type { Envelope } from './call.ts';
import type { Member, ScannedObject, Span } from '../../scan-json.ts';

/** The members that a message may have, each with a bit of its own. */
const MEMBERS: ReadonlyMap<string, number> = new Map([
  ['jsonrpc', 1],
  ['id', 2],
  ['method', 4],
  ['params', 8],
]);
const PLAIN_INTEGER = /^(?:0|[1-9]\d{0,19})$/;
const MAX_U64 = 2n ** 64n - 1n;
const MAX_U64_DIGITS = 20;

/**
 * Reads one message of a body. `value` is what its bytes parse to. A member that is unknown or stands twice makes
 * it invalid: nodes refuse such a message, and no two parsers may disagree about what it says.
 *
 * @throws ServiceError `parseError` on an id that cannot be read (object, array, boolean, or given twice).
 */
export function readEnvelope(
  body: Buffer,
  { start, end, members }: ScannedObject,
  value: Readonly<Record<string, unknown>>,
): Envelope {
  const { idSpan, paramsSpan, isSound, hasTwoIds } = readMembers(members);
  if (hasTwoIds || !isReadableId(value.id)) throw serviceError('parseError');
  const id = idSpan === undefined ? 'null' : body.toString('utf8', idSpan.start, idSpan.end);
  const { method, params, jsonrpc } = value;
  const isCall = typeof method === 'string' && (params === undefined || typeof params === 'object');
  const isVersion = jsonrpc === undefined || jsonrpc === null || jsonrpc === '2.0';
  if (!isSound || !isCall || !isVersion)
    return { kind: 'invalid', error: serviceError('invalidRequest'), id };
  if (jsonrpc !== '2.0') return { kind: 'invalid', error: serviceError('unsupportedVersion'), id };
  const isNotification = idSpan === undefined;
  const rawParams = paramsSpan && body.subarray(paramsSpan.start, paramsSpan.end);
  const raw = body.subarray(start, end);
  return {
    kind: 'call',
    call: { method, params, rawParams, id, raw, idIsPlain: isPlainId(id), isNotification },
  };
}

type Members = {
  idSpan: Span | undefined;
  paramsSpan: Span | undefined;
  /** No member is unknown or stands twice. */
  isSound: boolean;
  hasTwoIds: boolean;
};

function readMembers(members: readonly Member[]): Members {
  const found: Members = { idSpan: undefined, paramsSpan: undefined, isSound: true, hasTwoIds: false };
  let seen = 0;
  for (const member of members) {
    const { name } = member;
    const bit = MEMBERS.get(name) ?? 0;
    const isKnown = (seen & bit) !== 0;
    if (bit === 0 || isKnown) found.isSound = false;
    if (name === 'id' && isKnown) found.hasTwoIds = true;
    seen |= bit;
    if (name === 'id') found.idSpan ??= member;
    else if (name === 'params') found.paramsSpan ??= member;
  }
  return found;
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
