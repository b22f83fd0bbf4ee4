/** Why a call brought no result, or a subscription no more notifications. `kind` says how far it came. */
export type CallFailure =
  /** The server answered with a JSON-RPC error. `status` is the HTTP status that carried it; 101 over a WebSocket. */
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
  | { readonly kind: 'network' }
  /** The server closed the WebSocket for a reason that a new one would not mend. */
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
  /** Nobody took the notifications of a subscription until so many were waiting. */
  | { readonly kind: 'overflow'; readonly limit: number };

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

/** The failure that a JSON-RPC error object is, or undefined where it is none. */
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
      return `the answer is no JSON-RPC reply: ${failure.reason}`;
    case 'timeout':
      return `no answer within ${failure.timeoutMs} ms`;
    case 'aborted':
      return 'given up by the caller';
    case 'network':
      return 'the server could not be reached';
    case 'closed':
      return `the server closed the connection: ${failure.reason} (${failure.code})`;
    case 'overflow':
      return `more than ${failure.limit} notifications were waiting to be taken`;
    default:
      return failure satisfies never;
  }
};
