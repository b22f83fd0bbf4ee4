import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorEntry } from '../../../generated/errors.ts';
import { type ServiceError, serviceError } from '../../base/service-error.ts';
import { errorReply } from '../../rpc/replies.ts';
import { createRequestId } from '../../base/request-id.ts';
import { PROBLEM_TYPE, toProblem } from '../rest/problem.ts';
import { ConnectionShed } from './http-owner.ts';
import { JSON_TYPE } from './respond.ts';
import { pathOf, restServiceOf } from './target.ts';
import { endGently } from './unread-bytes.ts';

const UNAVAILABLE = 503;

/** More requests wait on a connection than may. */
export class TooManyWaiting extends Error {
  readonly reason: ServiceError;

  constructor(limit: number) {
    super();
    this.reason = serviceError('tooManyWaiting', { limit });
  }
}

type Refusal = { readonly status: number; readonly error: ServiceError };

export type FailedRequest = {
  /** Milliseconds that a request may take to arrive. */
  readonly limitMs: number;
  /** Its target, if its head arrived. */
  readonly target: string | undefined;
};

/**
 * Answers, on the bare socket, what node:http could not parse as a request, and closes the connection: at once if that is to make
 * room.
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { limitMs, target }: FailedRequest,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = toRefusal(error, limitMs);
  const isRest = target !== undefined && restServiceOf(pathOf(target)) !== undefined;
  const answer = toText(isRest ? asProblem(refusal) : asReply(refusal));
  if (error instanceof ConnectionShed) socket.end(answer, () => socket.destroy());
  else endGently(socket, answer);
}

/** Answers on a connection whose requests are not read, and lets the peer close it: what it sends is discarded. */
export function refuseConnection(socket: Duplex, error: ServiceError): void {
  socket.on('error', () => socket.destroy()).resume();
  socket.end(toText(asReply({ status: errorEntry(error.code).http ?? UNAVAILABLE, error })));
}

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

function toText({ status, headers, body }: Answer): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function asReply({ status, error }: Refusal): Answer {
  const { retryAfterSeconds } = error.context;
  const headers = {
    'content-type': JSON_TYPE,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  };
  return { status, headers, body: errorReply('null', error).toString() };
}

/** Errors with a problem of their own: anything else is an invalid body. */
const SHOWN: ReadonlySet<string> = new Set(['requestTimeout', 'connectionsFull', 'tooManyWaiting']);

function asProblem({ error }: Refusal): Answer {
  const fault = { pointer: '', detail: 'is not valid HTTP' };
  const shown = SHOWN.has(error.code) ? error : serviceError('bodyInvalid', { errors: [fault] }, error);
  const { status, headers, body } = toProblem(shown, createRequestId());
  return { status, headers: { ...headers, 'content-type': PROBLEM_TYPE }, body };
}

function toRefusal(error: NodeJS.ErrnoException, limitMs: number): Refusal {
  if (error instanceof TooManyWaiting) return { status: 429, error: error.reason };
  if (error instanceof ConnectionShed) return { status: UNAVAILABLE, error: error.reason };
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, error: serviceError('requestTimeout', { limitMs }, error) };
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  return { status, error: serviceError('invalidRequest', {}, error) };
}
