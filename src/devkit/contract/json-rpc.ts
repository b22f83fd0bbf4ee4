import { parseJson, printJson } from '../../../runtime/json.ts';

export type RpcTarget = {
  /** The JSON-RPC address, with its `apikey` if the server needs one. */
  readonly rpcUrl: string;
  /** The value of the header Authorization, if the server needs one. */
  readonly authorization?: string | undefined;
  /** Sends each call in its turn; default: at once. */
  readonly pace?: Pace;
  /** Receives every answer of status 200 to a single call. */
  readonly hear?: HearAnswer;
};

/** Receives an answer as text, with the method of its call; undefined for a message that answers no call. Does not throw. */
export type HearAnswer = (method: string | undefined, text: string) => void;

/** An answer over HTTP; `retryAfter` is that header. */
export type Answer = { readonly status: number; readonly text: string; readonly retryAfter: string | null };

/** Sends a call, and repeats it as the server allows. @throws RateLimited if the server keeps refusing it. */
export type Pace = (send: () => Promise<Answer>) => Promise<Answer>;

/** Thrown when a server keeps refusing a call because of its rate limit. */
export class RateLimited extends Error {
  constructor({ retryAfter }: Answer) {
    super(
      `the server limits the rate of calls: HTTP 429${retryAfter === null ? '' : `, Retry-After: ${retryAfter}`}`,
    );
  }
}

export type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };

/** Thrown when the server answers an error to a call that must succeed. */
export class RpcFailure extends Error {
  readonly error: RpcError;
  constructor(method: string, error: RpcError) {
    super(`${method}: ${error.code} ${error.message} ${printJson(error.data ?? null)}`);
    this.error = error;
  }
}

const CALL_DEADLINE_MS = 60_000;
const SHOWN_CHARACTERS = 200;

/** Posts one JSON-RPC message and returns the status and the text of the answer. */
export async function post(
  { rpcUrl, authorization, pace, hear }: RpcTarget,
  message: unknown,
): Promise<Pick<Answer, 'status' | 'text'>> {
  const body = typeof message === 'string' ? message : printJson(message);
  const credentials = authorization === undefined ? {} : { authorization };
  const send = async (): Promise<Answer> => {
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentials },
      body,
      signal: AbortSignal.timeout(CALL_DEADLINE_MS),
    });
    const retryAfter = answer.headers.get('retry-after');
    return { status: answer.status, text: await answer.text(), retryAfter };
  };
  const answer = await (pace === undefined ? send() : pace(send));
  const method = methodOf(message);
  if (method !== undefined && answer.status === 200) hear?.(method, answer.text);
  return answer;
}

function methodOf(message: unknown): string | undefined {
  const isCall = typeof message === 'object' && message !== null && 'method' in message;
  return isCall && typeof message.method === 'string' ? message.method : undefined;
}

/** Calls a method and returns its result with exact integers. @throws RpcFailure if the server answers an error. */
export async function call(
  target: RpcTarget,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const { status, text } = await post(target, { jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = readReply(text);
  if (isRpcError(error)) throw new RpcFailure(method, error);
  if (result === undefined) {
    const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
    throw new Error(`${method}: HTTP ${status} without a JSON-RPC result: ${shown}`);
  }
  return result;
}

/** Returns the members of a reply; none if the text is not a JSON object. */
function readReply(text: string): { readonly result?: unknown; readonly error?: unknown } {
  try {
    const reply = parseJson(text);
    return typeof reply === 'object' && reply !== null ? reply : {};
  } catch {
    return {};
  }
}

function isRpcError(error: unknown): error is RpcError {
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}
