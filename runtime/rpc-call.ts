import { CallError, type CallFailure, rpcFailure } from './call-error.ts';
import { parseJson, printJson } from './json.ts';

export { CallError, type CallFailure } from './call-error.ts';

export type ClientOptions = {
  /** Address of the JSON-RPC endpoint, path included. */
  readonly url: string;
  /** Sent as the query parameter `apikey`. */
  readonly apiKey?: string;
  /** One of the users behind the key: read-your-writes is tracked for each separately. */
  readonly session?: string;
  readonly fetch?: typeof fetch;
  /** Deadline of a call, including the whole answer; default 30,000. */
  readonly timeoutMs?: number;
  /** Cancels every call of this client that is under way, and later ones. */
  readonly signal?: AbortSignal;
};

/** Sends one call and returns its result, wide integers as bigint where they need it. Throws CallError. */
export type RpcCall = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** A call over HTTP POST (JSON-RPC 2.0). */
export const createRpcCall = ({
  url,
  apiKey,
  session,
  fetch: send = fetch,
  ...limits
}: ClientOptions): RpcCall => {
  const headers = { 'content-type': 'application/json', ...(session && { 'keyslot-session': session }) };
  const address = new URL(url);
  if (apiKey !== undefined) address.searchParams.set('apikey', apiKey);
  let lastId = 0;
  return async (method, params) => {
    lastId += 1;
    const id = lastId;
    const body = printJson({ jsonrpc: '2.0', id, method, params });
    const { status, text } = await exchange(
      (signal) => send(address, { method: 'POST', headers, body, signal }),
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
    const failure = rpcFailure(error, status);
    if (failure) throw new CallError(method, failure);
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
