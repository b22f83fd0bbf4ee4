/** A problem (RFC 9457) as the server sends it. */
export type ProblemBody = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly request_id: string;
  readonly [member: string]: unknown;
};

/** The reason why a call has no result. */
export type RestFailure =
  /** The server refused it or failed, and says why. `retryAfterSeconds` is the requested wait. */
  | {
      readonly kind: 'problem';
      readonly status: number;
      readonly code: string;
      readonly problem: ProblemBody;
      readonly retryAfterSeconds?: number;
    }
  /** The server, or a proxy in front of it, answered with an HTTP status but no problem. */
  | { readonly kind: 'http'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The answer does not fit the operation. */
  | { readonly kind: 'malformed'; readonly reason: string }
  /** A stream ended before all announced items had arrived. */
  | { readonly kind: 'truncated'; readonly expected: number; readonly received: number }
  /** No answer, or no more of a stream, arrived in time. */
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  /** The caller's signal cancelled the call. */
  | { readonly kind: 'aborted' }
  /** The server could not be reached, or the connection broke. */
  | { readonly kind: 'network' };

/** Thrown by every call without a result. Its members contain neither the token nor any part of the bodies, except the problem. */
export class RestCallError extends Error {
  readonly operation: string;
  readonly failure: RestFailure;

  constructor(operation: string, failure: RestFailure, cause?: unknown) {
    super(`${operation}: ${describeFailure(failure)}`, { cause });
    this.name = 'RestCallError';
    this.operation = operation;
    this.failure = failure;
  }
}

const describeFailure = (failure: RestFailure): string => {
  switch (failure.kind) {
    case 'problem':
      return `${failure.problem.detail} (${failure.code})`;
    case 'http':
      return `HTTP status ${failure.status}`;
    case 'malformed':
      return `the answer does not fit this operation: ${failure.reason}`;
    case 'truncated':
      return `the stream ended after ${failure.received} of ${failure.expected}`;
    case 'timeout':
      return `no answer within ${failure.timeoutMs} ms`;
    case 'aborted':
      return 'cancelled by the caller';
    case 'network':
      return 'the server could not be reached, or the connection broke';
    default:
      return failure satisfies never;
  }
};
