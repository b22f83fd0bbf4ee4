import { setTimeout as delay } from 'node:timers/promises';
import { readNodeAddress } from '../../core/config/node-address.ts';
import { parseJson } from '../../core/rpc/json.ts';
import { isObject } from '../genesis-options/account-json.ts';
import { errorKind, optionProblem } from '../genesis-options/option-problem.ts';

/** The answer of a ledger node, or the reason for its absence, in words that reveal nothing of its address. */
export type NodeAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | {
      readonly kind: 'refusal';
      readonly reason: string;
      /** True when a smaller call may succeed. */
      readonly mayBeSmaller: boolean;
    };
type Refusal = Extract<NodeAnswer, { kind: 'refusal' }>;

/** Calls a method of a ledger node. */
export type CallNode = (method: string, params: readonly unknown[]) => Promise<NodeAnswer>;

export type NodeLimits = {
  /** For each attempt. */
  readonly deadlineMs: number;
  readonly maxAnswerBytes: number;
  /** Number of attempts while the node is busy or unreachable. */
  readonly attempts: number;
};

const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const FIRST_WAIT_MS = 250;

/**
 * Returns a function that calls a node over HTTP. A user and a password in its address are sent as basic authorization.
 *
 * @throws ServiceError invalidConfig: the credentials cannot be decoded.
 */
export function callNodeAt(address: URL, limits: NodeLimits): CallNode {
  const { authorization } = readNodeAddress(address.href) ?? refuseAddress();
  const url = new URL(address);
  url.username = '';
  url.password = '';
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    for (let attempt = 1; ; attempt++) {
      const { answer, isBusy } = await callOnce(url, { headers, body }, limits);
      if (!isBusy || attempt >= limits.attempts) return hideAddress(address, answer);
      await delay(FIRST_WAIT_MS * 2 ** (attempt - 1));
    }
  };
}

function refuseAddress(): never {
  throw optionProblem('the address of the node has a user or a password that cannot be decoded');
}

type Attempt = { readonly answer: NodeAnswer; readonly isBusy: boolean };

async function callOnce(
  url: URL,
  request: Pick<RequestInit, 'headers' | 'body'>,
  { deadlineMs, maxAnswerBytes }: NodeLimits,
): Promise<Attempt> {
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    const response = await fetch(url, { ...request, method: 'POST', signal });
    if (!response.ok) {
      await response.body?.cancel();
      const isBusy = BUSY.has(response.status);
      return { answer: refusal(`it answered with HTTP status ${response.status}`), isBusy };
    }
    const text = await readText(response, maxAnswerBytes);
    if (text === undefined) return final(refusal(`its answer is longer than ${maxAnswerBytes} bytes`, true));
    return final(readAnswer(parseJson(text)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError)
      return final(refusal('its answer is not JSON'));
    if (error instanceof DOMException)
      return final(refusal(`it did not answer within ${deadlineMs / 1000} seconds`));
    if (error instanceof TypeError)
      return { answer: refusal(`it cannot be reached (${reasonOf(error.cause)})`), isBusy: true };
    throw error;
  }
}

/** The error for a port that fetch refuses has no code, only a message. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error && !('code' in cause) ? cause.message : errorKind(cause);
}

function readAnswer(answer: unknown): NodeAnswer {
  if (isObject(answer) && isObject(answer.error)) {
    const { message, code } = answer.error;
    return refusal(`it answered "${String(message)}"${code === undefined ? '' : ` (${String(code)})`}`, true);
  }
  return isObject(answer) && 'result' in answer
    ? { kind: 'result', result: answer.result }
    : refusal('its answer is not JSON-RPC');
}

/** Undefined: the body exceeds the limit. */
async function readText({ body }: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function hideAddress(address: URL, answer: NodeAnswer): NodeAnswer {
  return answer.kind === 'refusal' ? { ...answer, reason: redact(address, answer.reason) } : answer;
}

function final(answer: NodeAnswer): Attempt {
  return { answer, isBusy: false };
}

function refusal(reason: string, mayBeSmaller = false): Refusal {
  return { kind: 'refusal', reason, mayBeSmaller };
}

/** A shorter part of an address protects nothing. */
const SECRET_CHARACTERS = 6;
const MAX_CHARACTERS = 300;

/** Returns the node's message, cut to 300 characters, without any part of its address that may be a key. */
function redact(url: URL, text: string): string {
  const parts = [url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values()];
  const secrets = parts
    .flatMap((part) => [part, decoded(part)])
    .filter(({ length }) => length >= SECRET_CHARACTERS)
    .toSorted((a, b) => b.length - a.length);
  const shown = secrets.reduce((left, secret) => left.replaceAll(secret, '[hidden]'), text);
  return shown.length > MAX_CHARACTERS ? `${shown.slice(0, MAX_CHARACTERS)}…` : shown;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
