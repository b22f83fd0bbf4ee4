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

const CALL_DEADLINE_MS = 20_000;

/** Posts one JSON-RPC message and returns the status and the text of the answer. */
export async function post(
  { rpcUrl }: RpcTarget,
  message: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof message === 'string' ? message : printJson(message),
    signal: AbortSignal.timeout(CALL_DEADLINE_MS),
  });
  return { status: answer.status, text: await answer.text() };
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
