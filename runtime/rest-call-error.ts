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

/** Why a call brought no result. */
export type RestFailure =
  /** The server refused it or failed, and says why. `retryAfterSeconds` is how long it asks to wait. */
  | {
      readonly kind: 'problem';
      readonly status: number;
      readonly code: string;
      readonly problem: ProblemBody;
      readonly retryAfterSeconds?: number;
    }
  /** The server, or a proxy in front of it, answered with an HTTP status and no problem. */
  | { readonly kind: 'http'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The answer is not what the operation answers. */
  | { readonly kind: 'malformed'; readonly reason: string }
  /** A stream ended before all that was announced had come. */
  | { readonly kind: 'truncated'; readonly expected: number; readonly received: number }
  /** No answer, or no more of a stream, came in time. */
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  /** The caller's signal gave the call up. */
  | { readonly kind: 'aborted' }
  /** The server could not be reached, or the connection broke. */
  | { readonly kind: 'network' };

/** Thrown by every call that brings no result. Neither the token nor anything of the bodies is in its members, but for the problem. */
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
      return `the answer is not one of this operation: ${failure.reason}`;
    case 'truncated':
      return `the stream ended after ${failure.received} of ${failure.expected}`;
    case 'timeout':
      return `nothing came within ${failure.timeoutMs} ms`;
    case 'aborted':
      return 'given up by the caller';
    case 'network':
      return 'the server could not be reached, or the connection broke';
    default:
      return failure satisfies never;
  }
};
