import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { copyText } from '../../core/copy-text.ts';
import type { Context } from '../../core/rpc/context.ts';
import type { Admission } from '../access/admission.ts';
import type { Authenticate, Caller } from '../access/authenticate.ts';
import type { ClientAddress } from '../access/client-address.ts';
import { CALL_BYTES, weighMessage } from '../access/weigh.ts';
import type { Ledger } from '../../gateway/ledger/ledger.ts';
import type { Tracing } from '../../core/tracing.ts';
import { toServiceError, errorData, errorMessage, type ServiceError } from '../../core/service-error.ts';
import type { BaseUrlOf } from '../http/base-url.ts';
import { rpcPathOf } from '../http/target.ts';
import { answerBatch, heldServer } from '../json-rpc/answer-batch.ts';
import type { ConnectionOwner } from '../connections/connection.ts';
import type { CallLimits, Message } from '../../core/rpc/call.ts';
import { turnToParse } from '../../core/rpc/semaphore.ts';
import { idOf, parseBody } from '../../core/rpc/parse-body.ts';
import { type SessionOptions, type SocketCaller, SocketSession, type Taken } from './socket-session.ts';
import { errorEntry } from '../../../generated/errors.ts';
import { stringifyJson } from '../../core/rpc/json.ts';
import { errorReply, answerEnvelope } from '../../core/rpc/replies.ts';

export type SocketEndpointOptions = Omit<SessionOptions, 'takeIn' | 'answer'> & {
  readonly ledger: Ledger;
  readonly authenticate: Authenticate;
  readonly admission: Admission;
  readonly limits: CallLimits;
  readonly baseUrlOf: BaseUrlOf;
  /** Names the network in spans and in the log of requests. */
  readonly network: string;
  readonly clientAddress: ClientAddress;
  readonly tracing?: Tracing | undefined;
};

/** Serves the WebSockets of one path. */
export type SocketEndpoint = {
  /**
   * Returns the caller of a new connection, whose messages are logged under `requestId`. Throws as over HTTP, and ServiceError
   * `serverSocketsFull` and `tooManySockets`.
   */
  readonly admit: (request: IncomingMessage, requestId: string) => SocketCaller;
  /** Serves a connection. @returns its owner, which reports whether it is in use. */
  readonly open: (socket: WebSocket, stream: Duplex, caller: SocketCaller) => ConnectionOwner;
};

/** Sent by kit and web3.js every few seconds; it is neither limited nor counted. */
const KEEP_ALIVE = 'ping';

/**
 * JSON-RPC over WebSocket (interface.md section 4.2): every call that HTTP takes, with the same limits and counts, and
 * subscriptions. Messages are admitted one after the other; answers are sent as they are ready.
 */
export function createSocketEndpoint(options: SocketEndpointOptions): SocketEndpoint {
  const { ledger, authenticate, admission, limits, sockets, baseUrlOf, tracing, network } = options;

  const takeIn = async (body: Buffer, caller: Caller): Promise<Taken | undefined> => {
    let message: Message;
    try {
      const turn = turnToParse(body);
      if (turn !== undefined) await turn;
      message = parseBody(body, limits);
    } catch (thrown) {
      const fault = toServiceError(thrown);
      if (fault.code === 'bodyNotUtf8') throw fault;
      const { refusal } = await admission.admitFaulty(caller, body.length, fault.code);
      return { kind: 'answer', body: socketErrorReply('null', refusal ?? fault) };
    }
    if (isKeepAlive(message) && body.length <= CALL_BYTES) return undefined;
    const { refusal } = await admission.admit(caller, weighMessage(message), body.length);
    if (refusal === undefined) return { kind: 'message', message };
    return isAnswered(message)
      ? { kind: 'answer', body: socketErrorReply(idOf(message), refusal) }
      : undefined;
  };

  const answer = async (message: Message, context: Context): Promise<Buffer | undefined> => {
    const parts = await answerParts(message, context);
    return parts === undefined || parts.length === 0 ? undefined : Buffer.concat(parts);
  };

  /** Every reply is held until the connection has taken it. */
  const answerParts = (message: Message, context: Context) => {
    const refuse = socketErrorReply;
    if (message.kind === 'single')
      return answerEnvelope(message.envelope, heldServer(ledger, context), refuse);
    const concurrency = limits.batchConcurrency;
    return answerBatch(message.envelopes, { ledger, context, concurrency, refuse });
  };

  const answerInSpan = (message: Message, context: Context): Promise<Buffer | undefined> => {
    if (tracing === undefined) return answer(message, context);
    const calls = message.kind === 'single' ? 1 : message.envelopes.length;
    const attributes = { 'keyslot.network': network, 'keyslot.calls': calls };
    return tracing.request({ name: 'websocket message', attributes }, () => answer(message, context));
  };

  const sessionOptions: SessionOptions = { ...options, takeIn, answer: answerInSpan };
  return {
    admit: (request, id) => {
      const caller = authenticate(request, network, { id, protocol: 'websocket', network });
      sockets.assertRoom(caller);
      const address = copyText(baseUrlOf(request).replace(/^http/, 'ws') + rpcPathOf(request.url ?? ''));
      const source = { origin: request.headers.origin, address: options.clientAddress(request), network };
      return { ...caller, source, askedAt: () => address };
    },
    open: (socket, stream, caller) => new SocketSession(socket, stream, caller, sessionOptions),
  };
}

function isKeepAlive(message: Message): boolean {
  if (message.kind === 'batch' || message.envelope.kind === 'invalid') return false;
  const { isNotification, method } = message.envelope.call;
  return isNotification && method === KEEP_ALIVE;
}

/** True if anything in it expects an answer. */
function isAnswered(message: Message): boolean {
  const envelopes = message.kind === 'single' ? [message.envelope] : message.envelopes;
  return envelopes.some((envelope) => envelope.kind === 'invalid' || !envelope.call.isNotification);
}

/** JSON-RPC 2.0 section 5.1, Internal error: every client knows it. */
const INTERNAL_ERROR = -32603;

/**
 * Returns the error reply over a socket. An error that HTTP reports by status has no status here, and clients of nodes fail on
 * codes that nodes do not have: it is answered as an internal error with its own text, and its own code and name in the data.
 */
function socketErrorReply(id: string, error: ServiceError): Buffer {
  const { http, jsonrpc } = errorEntry(error.code);
  if (http === 200 || jsonrpc === undefined) return errorReply(id, error);
  const own = errorData(error);
  const data = { ...(typeof own === 'object' ? own : {}), code: jsonrpc.code, name: error.code };
  const body = stringifyJson({ code: INTERNAL_ERROR, message: errorMessage(error), data });
  return Buffer.from(`{"jsonrpc":"2.0","error":${body},"id":${id}}\n`);
}
