import type { Expectation } from '../../runtime/contract-case.ts';
import { missingIn } from '../../runtime/missing-in.ts';
import { printJson } from '../../runtime/json.ts';
import { parseStrictJson } from './strict-json.ts';

export type Envelope =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: ErrorObject };
type ErrorObject = { readonly code: unknown; readonly message: unknown; readonly data?: unknown };

type Members = Readonly<Record<string, unknown>>;
const ENVELOPE_MEMBERS = new Set(['jsonrpc', 'id', 'result', 'error']);
const ERROR_MEMBERS = new Set(['code', 'message', 'data']);

/**
 * Reads an answer strictly (JSON-RPC 2.0 section 5): version, the same id, either result or error, nothing else.
 * @returns the envelope, or the problems that it has.
 */
export function readEnvelope(status: number, text: string, id: unknown): Envelope | readonly string[] {
  if (status !== 200) return [`HTTP ${status}: ${shorten(text)}`];
  const reply = parseStrictJson(text);
  if (!isObject(reply)) return [`no JSON-RPC reply: ${shorten(text)}`];
  const problems: string[] = unknownMembers(reply, ENVELOPE_MEMBERS);
  if (reply.jsonrpc !== '2.0') problems.push(`jsonrpc is ${shown(reply.jsonrpc)}`);
  if (reply.id !== id) problems.push(`id is ${shown(reply.id)}, not ${shown(id)}`);
  if ('result' in reply === 'error' in reply) problems.push('neither or both of result and error');
  const { error } = reply;
  if (error !== undefined && !isObject(error)) problems.push(`error is ${shown(error)}`);
  if (problems.length > 0) return problems;
  if (!isObject(error)) return { kind: 'result', result: reply.result };
  const wrong = unknownMembers(error, ERROR_MEMBERS);
  return wrong.length > 0
    ? wrong
    : { kind: 'error', error: { code: error.code, message: error.message, data: error.data } };
}

/** How an answer differs from what was expected, its `$names` filled in; a result's form is the validator's to judge. */
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

/** Whether an error tells of the ledger's state (-32001 to -32021), not of the call or of a failure of the server. */
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
