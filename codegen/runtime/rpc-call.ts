import { parseJson, printJson } from './json.ts';

/** Why a call brought no result. `kind` says how far it came. */
export type CallFailure =
  /** The server answered with a JSON-RPC error. `status` is the HTTP status that carried it. */
  | {
      readonly kind: 'rpc';
      readonly status: number;
      readonly code: number;
      readonly message: string;
      readonly data: unknown;
    }
  /** The server answered with an HTTP status and no JSON-RPC error. */
  | { readonly kind: 'http'; readonly status: number }
  /** The answer is not a JSON-RPC reply. */
  | { readonly kind: 'malformed'; readonly reason: string }
  /** No answer came in time. */
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  /** The caller's signal gave the call up. */
  | { readonly kind: 'aborted' }
  /** The server could not be reached, or the connection broke. */
  | { readonly kind: 'network' };

/** Thrown by every client call that brings no result. The API key is in none of its members. */
export class CallError extends Error {
  readonly method: string;
  readonly failure: CallFailure;

  constructor(method: string, failure: CallFailure, cause?: unknown) {
    super(`${method}: ${describeFailure(failure)}`, { cause });
    this.name = 'CallError';
    this.method = method;
    this.failure = failure;
  }
}

export type ClientOptions = {
  /** Address of the JSON-RPC endpoint, path included. */
  readonly url: string;
  /** Sent as the query parameter `apikey`. */
  readonly apiKey?: string;
  readonly fetch?: typeof fetch;
  /** Deadline of a call, the whole answer included; default 30,000. */
  readonly timeoutMs?: number;
  /** Gives up every call of this client that is under way, and those made later. */
  readonly signal?: AbortSignal;
};

/** Sends one call and answers its result, wide integers as bigint where they need it. Throws CallError. */
export type RpcCall = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** A call over HTTP POST (JSON-RPC 2.0). */
export const createRpcCall = ({ url, apiKey, fetch: send = fetch, ...limits }: ClientOptions): RpcCall => {
  const address = new URL(url);
  if (apiKey !== undefined) address.searchParams.set('apikey', apiKey);
  let lastId = 0;
  return async (method, params) => {
    lastId += 1;
    const id = lastId;
    const body = printJson({ jsonrpc: '2.0', id, method, params });
    const { status, text } = await exchange(
      (signal) =>
        send(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal }),
      method,
      limits,
    );
    return resultOf(method, id, status, text);
  };
};

const exchange = async (
  send: (signal: AbortSignal) => Promise<Response>,
  method: string,
  { timeoutMs = 30_000, signal }: Pick<ClientOptions, 'timeoutMs' | 'signal'>,
): Promise<{ status: number; text: string }> => {
  const controller = new AbortController();
  const give = (failure: CallFailure): void => controller.abort(new CallError(method, failure));
  const onAbort = (): void => give({ kind: 'aborted' });
  const timer = setTimeout(() => give({ kind: 'timeout', timeoutMs }), timeoutMs);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    controller.signal.throwIfAborted();
    const response = await send(controller.signal);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    controller.signal.throwIfAborted();
    throw new CallError(method, { kind: 'network' }, withoutAddress(error));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
};

/** A network error may carry the address, and with it the key. */
const withoutAddress = (error: unknown): unknown =>
  error instanceof Error
    ? { name: error.name, code: (error.cause as { code?: unknown } | undefined)?.code }
    : undefined;

const resultOf = (method: string, id: number, status: number, text: string): unknown => {
  const reply = parseReply(method, status, text);
  const { error } = reply;
  if (isObject(error)) {
    const { code, message, data } = error;
    if (Number.isInteger(code) && typeof message === 'string')
      throw new CallError(method, { kind: 'rpc', status, code: Number(code), message, data });
    if (status === 200)
      throw new CallError(method, { kind: 'malformed', reason: 'an error without a code or a message' });
  }
  if (status !== 200) throw new CallError(method, { kind: 'http', status });
  if (!Object.hasOwn(reply, 'result'))
    throw new CallError(method, { kind: 'malformed', reason: 'neither result nor error' });
  if (reply.id !== id)
    throw new CallError(method, { kind: 'malformed', reason: 'the id is of another call' });
  return reply.result;
};

const parseReply = (method: string, status: number, text: string): Readonly<Record<string, unknown>> => {
  try {
    const reply = parseJson(text);
    if (isObject(reply)) return reply;
  } catch (error) {
    if (status === 200) throw new CallError(method, { kind: 'malformed', reason: 'not JSON' }, error);
  }
  throw new CallError(
    method,
    status === 200 ? { kind: 'malformed', reason: 'not an object' } : { kind: 'http', status },
  );
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const describeFailure = (failure: CallFailure): string => {
  switch (failure.kind) {
    case 'rpc':
      return `${failure.message} (${failure.code})`;
    case 'http':
      return `HTTP status ${failure.status}`;
    case 'malformed':
      return `the answer is no JSON-RPC reply: ${failure.reason}`;
    case 'timeout':
      return `no answer within ${failure.timeoutMs} ms`;
    case 'aborted':
      return 'given up by the caller';
    case 'network':
      return 'the server could not be reached';
    default:
      return failure satisfies never;
  }
};
