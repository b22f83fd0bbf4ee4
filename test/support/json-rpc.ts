import { setTimeout as pause } from 'node:timers/promises';
import { parseJson, printJson } from './exact-json.ts';

export type RpcTarget = {
  /** The JSON-RPC address, with its `apikey` where the server wants one. */
  readonly rpcUrl: string;
};

export type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };

/** An error that the server answered to a call which had to succeed. */
export class RpcFailure extends Error {
  readonly error: RpcError;
  constructor(method: string, error: RpcError) {
    super(`${method}: ${error.code} ${error.message} ${printJson(error.data ?? null)}`);
    this.error = error;
  }
}

export type HttpAnswer = { readonly status: number; readonly text: string };

const CALL_DEADLINE_MS = 20_000;
const MOST_WAITS = 5;
const LONGEST_WAIT_S = 120;

/**
 * Posts one JSON-RPC message and returns the status and the text of the answer. Where the server says that it has had too
 * many requests and when to come again (429 with `Retry-After` up to 120 s), comes again then, at most five times.
 */
export async function post(target: RpcTarget, message: unknown): Promise<HttpAnswer> {
  for (let waits = 0; ; waits++) {
    const answer = await postOnce(target, message);
    const waitS = Number(answer.retryAfter ?? Number.NaN);
    if (answer.status !== 429 || !(waitS <= LONGEST_WAIT_S) || waits === MOST_WAITS) return answer;
    await pause(waitS * 1_000);
  }
}

async function postOnce({ rpcUrl }: RpcTarget, message: unknown) {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof message === 'string' ? message : printJson(message),
    signal: AbortSignal.timeout(CALL_DEADLINE_MS),
  });
  const retryAfter = answer.headers.get('retry-after');
  return { status: answer.status, text: await answer.text(), retryAfter };
}

/** Calls a method and returns its result, integers exact. @throws RpcFailure when an error is answered. */
export async function call(
  target: RpcTarget,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const { status, text } = await post(target, { jsonrpc: '2.0', id: 1, method, params });
  const reply = parseJson(text) as { result?: unknown; error?: RpcError };
  if (reply.error !== undefined) throw new RpcFailure(method, reply.error);
  if (reply.result === undefined) throw new Error(`${method}: HTTP ${status} without a result: ${text}`);
  return reply.result;
}
