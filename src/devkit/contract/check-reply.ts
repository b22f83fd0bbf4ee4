import type { Expectation } from '../../../runtime/contract-case.ts';
import { missingIn } from '../../../runtime/missing-in.ts';
import { printJson } from '../../../runtime/json.ts';

export type Envelope =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: ErrorObject };
type ErrorObject = { readonly code: unknown; readonly message: unknown; readonly data?: unknown };

type Members = Readonly<Record<string, unknown>>;
const ENVELOPE_MEMBERS = new Set(['jsonrpc', 'id', 'result', 'error']);
const ERROR_MEMBERS = new Set(['code', 'message', 'data']);

/**
 * Reads an answer strictly (JSON-RPC 2.0 section 5): version, the same id, either result or error, nothing else.
 * @returns the envelope, or its problems.
 */
export function readEnvelope(status: number, text: string, id: unknown): Envelope | readonly string[] {
  if (status !== 200) return [`HTTP ${status}: ${shorten(text)}`];
  const reply = parseStrictJson(text);
  if (!isObject(reply)) return [`not a JSON-RPC reply: ${shorten(text)}`];
  const problems: string[] = unknownMembers(reply, ENVELOPE_MEMBERS);
  if (reply.jsonrpc !== '2.0') problems.push(`jsonrpc is ${shown(reply.jsonrpc)}`);
  if (reply.id !== id) problems.push(`id is ${shown(reply.id)}, not ${shown(id)}`);
  if ('result' in reply === 'error' in reply) problems.push('expected exactly one of result and error');
  const { error } = reply;
  if (error !== undefined && !isObject(error)) problems.push(`error is ${shown(error)}`);
  if (problems.length > 0) return problems;
  if (!isObject(error)) return { kind: 'result', result: reply.result };
  const wrong = unknownMembers(error, ERROR_MEMBERS);
  return wrong.length > 0
    ? wrong
    : { kind: 'error', error: { code: error.code, message: error.message, data: error.data } };
}

/** Compares an answer with an expectation whose `$names` are filled in; the validator judges the form of a result. */
export function compare(envelope: Envelope, expected: Expectation): readonly string[] {
  const told = (): string =>
    envelope.kind === 'result' ? `a result: ${shown(envelope.result)}` : `an error: ${shown(envelope.error)}`;
  switch (expected.kind) {
    case 'result':
      if (envelope.kind === 'error') return [`expected a result, got ${told()}`];
      return expected.has === undefined ? [] : missingIn(envelope.result, expected.has);
    case 'not-refused':
      return envelope.kind === 'error' && !isOfTheMoment(envelope.error)
        ? [`refused at the limit with ${told()}`]
        : [];
    case 'error':
      if (envelope.kind === 'result') return [`expected ${expected.error} (${expected.code}), got ${told()}`];
      return compareError(envelope.error, expected);
    default:
      return expected satisfies never;
  }
}

function compareError(
  error: ErrorObject,
  expected: Expectation & { readonly kind: 'error' },
): readonly string[] {
  const problems: string[] = [];
  if (error.code !== expected.code)
    problems.push(`code is ${shown(error.code)}, not ${expected.code} (${expected.error})`);
  if (typeof error.message !== 'string') problems.push(`message is ${shown(error.message)}`);
  if (expected.message !== undefined && error.message !== expected.message) {
    problems.push(`message is ${shown(error.message)}, not ${shown(expected.message)}`);
  }
  const data: Members = isObject(error.data) ? error.data : {};
  for (const [name, value] of Object.entries(expected.data ?? {})) {
    if (printJson(data[name]) !== printJson(value))
      problems.push(`data.${name} is ${shown(data[name])}, not ${shown(value)}`);
  }
  return problems;
}

/** True if an error reports the state of the ledger (-32001 to -32021), not a wrong call or a failure of the server. */
function isOfTheMoment({ code }: ErrorObject): boolean {
  return typeof code === 'number' && code <= -32001 && code >= -32021;
}

function unknownMembers(object: Members, known: ReadonlySet<string>): string[] {
  return Object.keys(object)
    .filter((name) => !known.has(name))
    .map((name) => `unknown member ${name}`);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const shown = (value: unknown): string => shorten(value === undefined ? 'absent' : printJson(value));
const shorten = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

/** JSON.parse source text access (ECMA-262), which TypeScript's library does not know yet. */
type SourceTextJson = {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown;
};

const INTEGER = /^-?\d+$/;
/** A number that JSON.parse may change. A bracket, a colon, a comma, a space or nothing precedes each number. */
const INEXACT = /(?:^|[[:,\s])-?(?:\d{16}|\d+[.eE])/;

/**
 * Reads JSON exactly: an integer outside ±(2^53 − 1) becomes a bigint, and one written with a fraction or an exponent
 * (`5.0`, `1.8e19`) becomes 0.5, which no integer schema accepts: typed clients reject such a number, which `JSON.parse` would hide.
 */
export function parseStrictJson(text: string): unknown {
  if (!INEXACT.test(text)) return JSON.parse(text);
  return (JSON as unknown as SourceTextJson).parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number') return value;
    if (!INTEGER.test(source ?? '')) return Number.isInteger(value) ? 0.5 : value;
    return Number.isSafeInteger(value) ? value : BigInt(source ?? '');
  });
}
