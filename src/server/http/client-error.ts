import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { errorEntry } from '../../../generated/errors.ts';
import { STATUS_CODES } from '../../core/node-http.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { errorReply } from '../../core/rpc/replies.ts';
import { createRequestId } from '../../core/request-id.ts';
import { PROBLEM_TYPE, toProblem } from './problem.ts';
import { COMMON_HEADERS } from './respond.ts';
import { pathOf, restServiceOf } from './target.ts';
import { endGently } from './unread-bytes.ts';
import type { ConnectionOwner } from '../connections/connection.ts';
import type { PlainLane } from './plain/plain-lane.ts';
import type { RequestTracker } from './request-tracker.ts';

const UNAVAILABLE = 503;

/** Too many requests wait on a connection. */
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

/** Answers, on the bare socket, a request that node:http could not parse, and closes the connection: at once if that is to make room. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { limitMs, target }: FailedRequest,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = toText(toAnswer(toRefusal(error, limitMs), target));
  if (error instanceof ConnectionShed) socket.end(answer, () => socket.destroy());
  else endGently(socket, answer);
}

/** The error of a request that node:http has parsed although HTTP forbids it. */
export class ForbiddenRequest extends Error {}

/** Answers such a request, and closes its connection. */
export function answerForbidden(request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = toAnswer(toRefusal(new ForbiddenRequest(), 0), request.url);
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, 'content-length': length, connection: 'close' }).end(body);
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

/** Returns the answer in the form of the service that the target belongs to. */
function toAnswer(refusal: Refusal, target: string | undefined): Answer {
  const isRest = target !== undefined && restServiceOf(pathOf(target)) !== undefined;
  return isRest ? asProblem(refusal) : asReply(refusal);
}

function asReply({ status, error }: Refusal): Answer {
  const { retryAfterSeconds } = error.context;
  const headers = {
    ...COMMON_HEADERS,
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

/** Ends a connection for an error, with an answer where the client would read it as such. */
export type FailConnection = (error: NodeJS.ErrnoException, socket: Duplex) => void;

type HttpOwnerParts = {
  readonly tracker: RequestTracker;
  readonly lane: PlainLane | undefined;
  readonly fail: FailConnection;
};

/** The error of a connection that is closed to make room: a request that has begun to arrive gets an answer. */
class ConnectionShed extends Error {
  readonly reason: ServiceError;

  constructor(reason: ServiceError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** Milliseconds that a connection which makes room may take to close. */
const CLOSE_MS = 1_000;

/**
 * Creates the HTTP owner of a connection: in use while a received request is being answered; not while a stranger does not take the answer.
 */
export function createHttpOwner({ tracker, lane, fail }: HttpOwnerParts, socket: Socket): ConnectionOwner {
  const isUntaken = (): boolean => lane?.isUntaken(socket) === true || tracker.isUntaken(socket);
  return {
    isInUse: () => (lane?.isBusy(socket) === true || tracker.isBusy(socket)) && !isUntaken(),
    progress: () => socket.bytesWritten,
    shed: (reason) => {
      if (isUntaken()) return void socket.destroy();
      // TLS says goodbye, which a client that reads nothing could put off for ever.
      setTimeout(() => socket.destroy(), CLOSE_MS).unref();
      const hasServed = lane?.hasServed(socket) === true || tracker.hasServed(socket);
      if (hasServed || !socket.writable) socket.end(() => socket.destroy());
      else fail(new ConnectionShed(reason), socket);
    },
  };
}
