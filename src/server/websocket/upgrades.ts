import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import { type ErrorName, errorEntry } from '../../../generated/errors.ts';
import { STATUS_CODES } from '../../core/node-http.ts';
import { createRequestId } from '../../core/request-id.ts';
import { serviceError, toServiceError, type ServiceError } from '../../core/service-error.ts';
import type { UpgradeHandler, HttpHandler } from '../http/http-server.ts';
import { rpcPathOf } from '../http/target.ts';
import type { LiveSockets } from './live-sockets.ts';
import type { SocketEndpoint } from './socket-endpoint.ts';
import type { SocketCaller } from './socket-session.ts';
import { COMMON_HEADERS, sendError } from '../http/respond.ts';
import { errorReply } from '../../core/rpc/replies.ts';
import { endGently } from '../http/unread-bytes.ts';

export type UpgradesOptions = {
  /** The endpoints by exact path. */
  readonly endpoints: ReadonlyMap<string, SocketEndpoint>;
  /** Origins whose pages may call; `*` for any. */
  readonly corsOrigins: readonly string[];
  /** The largest message that a client may send. */
  readonly maxBodyBytes: number;
  readonly sockets: LiveSockets;
  readonly onRefusal: (error: ErrorName) => void;
  readonly log: Logger;
};

/** Milliseconds that the peer may take to answer a close frame. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Creates the upgrade handler. A refused client is answered before its WebSocket opens, with the status and the JSON-RPC error
 * body of a refused POST.
 */
export function createUpgrades(options: UpgradesOptions): UpgradeHandler {
  const { endpoints, corsOrigins, maxBodyBytes, sockets, onRefusal, log } = options;
  const settings = { noServer: true, clientTracking: false, perMessageDeflate: false };
  const bounds = { maxPayload: maxBodyBytes, closeTimeout: CLOSE_TIMEOUT_MS };
  const server = new WebSocketServer({ ...settings, ...bounds });
  const requestIds = new WeakMap<IncomingMessage, string>();
  server.on('headers', (headers, request) => headers.push(`x-request-id: ${requestIds.get(request)}`));
  const refuse = (thrown: unknown, stream: Duplex, requestId?: string): void => {
    const error = toServiceError(thrown);
    onRefusal(error.code);
    if (error.code === 'internalError') log.error({ err: error.cause }, 'a WebSocket could not be opened');
    refuseUpgrade(stream, error, requestId);
  };
  server.on('wsClientError', ({ message }, stream) =>
    refuse(serviceError('upgradeInvalid', { reason: message }), stream),
  );
  return (request, stream, head, connection) => {
    stream.on('error', () => stream.destroy());
    if (sockets.isDraining) return void stream.destroy();
    const requestId = createRequestId();
    requestIds.set(request, requestId);
    try {
      const { endpoint, caller } = admit(request, requestId);
      server.handleUpgrade(request, stream, head, (socket) => {
        const session = endpoint.open(socket, stream, caller);
        connection?.take(session, { isOfKey: true });
      });
    } catch (thrown) {
      refuse(thrown, stream, requestId);
    }
  };

  function admit(
    request: IncomingMessage,
    requestId: string,
  ): {
    readonly endpoint: SocketEndpoint;
    readonly caller: SocketCaller;
  } {
    const endpoint = endpoints.get(rpcPathOf(request.url ?? ''));
    if (endpoint === undefined) throw serviceError('notFound', { path: [...endpoints.keys()].join(', ') });
    const caller = endpoint.admit(request, requestId);
    const { origin } = request.headers;
    const isOpenToPage = origin === undefined || corsOrigins.includes('*') || corsOrigins.includes(origin);
    if (!isOpenToPage) throw serviceError('pageOriginRefused');
    return { endpoint, caller };
  }
}

/** Answers a request to open a WebSocket as a refused POST is answered: status, JSON-RPC error body; and closes the connection. */
export function refuseUpgrade(socket: Duplex, error: ServiceError, requestId?: string): void {
  const { http } = errorEntry(error.code);
  const body = errorReply('null', error);
  const head = [
    `HTTP/1.1 ${http} ${STATUS_CODES[http]}`,
    ...Object.entries(COMMON_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    ...(error.code === 'upgradeInvalid' ? ['sec-websocket-version: 13'] : []),
    ...(requestId === undefined ? [] : [`x-request-id: ${requestId}`]),
    'connection: close',
  ];
  endGently(socket, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
}

/** Answers a plain request on a WebSocket-only port. */
export const refuseHttp: HttpHandler = async (_request, response) => {
  response.setHeader('upgrade', 'websocket');
  sendError(response, serviceError('upgradeRequired'));
};
