/** The reason why a call has no result, or a subscription no more notifications. `kind` is the stage of the failure. */
export type CallFailure =
  /** The server answered with a JSON-RPC error. `status` is the HTTP status of that answer; 101 over a WebSocket. */
  | {
      readonly kind: 'rpc';
      readonly status: number;
      readonly code: number;
      readonly message: string;
      readonly data: unknown;
    }
  /** The server answered with an HTTP status but no JSON-RPC error. */
  | { readonly kind: 'http'; readonly status: number }
  /** The answer is not a JSON-RPC reply. */
  | { readonly kind: 'malformed'; readonly reason: string }
  /** No answer came in time. */
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  /** The caller's signal cancelled the call. */
  | { readonly kind: 'aborted' }
  /** The server could not be reached, or the connection broke. */
  | { readonly kind: 'network' }
  /** The server closed the WebSocket for a reason that reconnecting would not fix. */
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
  /** Too many notifications of a subscription were waiting to be read. */
  | { readonly kind: 'overflow'; readonly limit: number };

/** Thrown by every client call without a result. None of its members contains the API key. */
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

/** Returns the failure of a JSON-RPC error object; undefined for any other value. */
export const rpcFailure = (error: unknown, status: number): CallFailure | undefined => {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error))
    return undefined;
  const { code, message } = error;
  return Number.isInteger(code) && typeof message === 'string'
    ? { kind: 'rpc', status, code: Number(code), message, data: 'data' in error ? error.data : undefined }
    : undefined;
};

const describeFailure = (failure: CallFailure): string => {
  switch (failure.kind) {
    case 'rpc':
      return `${failure.message} (${failure.code})`;
    case 'http':
      return `HTTP status ${failure.status}`;
    case 'malformed':
      return `the answer is not a JSON-RPC reply: ${failure.reason}`;
    case 'timeout':
      return `no answer within ${failure.timeoutMs} ms`;
    case 'aborted':
      return 'cancelled by the caller';
    case 'network':
      return 'the server could not be reached';
    case 'closed':
      return `the server closed the connection: ${failure.reason} (${failure.code})`;
    case 'overflow':
      return `more than ${failure.limit} notifications were waiting to be read`;
    default:
      return failure satisfies never;
  }
};
