import { serviceError } from '../../service-error.ts';
import type { Envelope } from './call.ts';
import { scanMembers } from '../../scan-json.ts';

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const PLAIN_INTEGER = /^(?:0|[1-9]\d{0,19})$/;
const MAX_U64 = 2n ** 64n - 1n;

/**
 * Reads one message. `raw` is its own bytes, `value` what they parse to. A member that is unknown or stands twice makes
 * it invalid: nodes refuse such a message, and no two parsers may disagree about what it says.
 *
 * @throws ServiceError `parseError` on an id that cannot be read (object, array, boolean, or given twice).
 */
export function readEnvelope(raw: Buffer, value: Readonly<Record<string, unknown>>): Envelope {
  const members = scanMembers(raw) ?? [];
  const ids = members.filter((member) => member.name === 'id');
  const [idSpan] = ids;
  if (ids.length > 1 || !isReadableId(value.id)) throw serviceError('parseError');
  const id = idSpan === undefined ? 'null' : raw.toString('utf8', idSpan.start, idSpan.end);
  const isKnown = members.every((member) => MEMBERS.has(member.name));
  const isUnique = new Set(members.map((member) => member.name)).size === members.length;
  const { method, params, jsonrpc } = value;
  const isCall = typeof method === 'string' && (params === undefined || typeof params === 'object');
  const isVersion = jsonrpc === undefined || jsonrpc === null || jsonrpc === '2.0';
  if (!isKnown || !isUnique || !isCall || !isVersion)
    return { kind: 'invalid', error: serviceError('invalidRequest'), id };
  if (jsonrpc !== '2.0') return { kind: 'invalid', error: serviceError('unsupportedVersion'), id };
  const isNotification = idSpan === undefined;
  const paramsSpan = members.find((member) => member.name === 'params');
  const rawParams = paramsSpan && raw.subarray(paramsSpan.start, paramsSpan.end);
  return {
    kind: 'call',
    call: { method, params, rawParams, id, raw, idIsPlain: isPlainId(id), isNotification },
  };
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
  return token === 'null' || (PLAIN_INTEGER.test(token) && BigInt(token) <= MAX_U64);
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
