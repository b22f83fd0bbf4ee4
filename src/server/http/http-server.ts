import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { serviceError } from '../../base/service-error.ts';
import { boundConnections } from '../connections/bound-connections.ts';
import type { Connection } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import type { TlsOptions } from '../tls/tls-files.ts';
import { answerClientError, refuseConnection } from './client-error.ts';
import { createHttpOwner } from './http-owner.ts';
import type { PlainHandler } from './plain/plain-connection.ts';
import { PlainLane } from './plain/plain-lane.ts';
import { RequestTracker } from './request-tracker.ts';

/** Answers one request. It never rejects: the handler turns its failures into answers. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The handler of requests that node:http reads and, for some targets, of plain requests that are read without it. */
export type HttpHandlers = {
  readonly handle: HttpHandler;
  readonly servesPlain: (target: string) => boolean;
  readonly handlePlain: PlainHandler;
};

/**
 * Takes over the connection of a WebSocket request (RFC 6455, section 4.2.1). `head` holds the bytes already received after it;
 * `connection` is to get another owner once the WebSocket is open, where connections are limited.
 */
export type UpgradeHandler = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  connection?: Pick<Connection, 'take'>,
) => void;

/** The address to listen on. */
export type ListenOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The name of the port's setting, for the text of `portTaken`. */
  readonly portSetting: string;
};

export type HttpServerOptions = ListenOptions & {
  readonly tls?: TlsOptions | undefined;
  /** The connection limits that it shares with other listeners. Absent: unlimited. */
  readonly connections?: Connections | undefined;
  /** Milliseconds that a request may take to arrive, head and body. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that a connection may be silent in both directions; longer than the longest answer may take. */
  readonly idleTimeoutMs: number;
  /** Absent: a WebSocket request is served as an ordinary request. */
  readonly onUpgrade?: UpgradeHandler | undefined;
  /** Closes every WebSocket, within the deadline and a second; those that are left are cut with all connections. */
  readonly drainSockets?: ((deadlineMs: number) => Promise<void>) | undefined;
};

export type HttpServer = {
  readonly host: string;
  readonly port: number;
  /** Accepts no more connections, waits up to `deadlineMs` for requests in flight, then cuts all connections. */
  readonly close: (deadlineMs: number) => Promise<void>;
};

const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Listens on one address.
 *
 * @throws ServiceError `portTaken`, or `listenFailed` with the system's reason.
 */
export async function startHttpServer(
  handlers: HttpHandler | HttpHandlers,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const tracker = new RequestTracker();
  const handle = typeof handlers === 'function' ? handlers : handlers.handle;
  const listener: RequestListener = (request, response) => {
    tracker.begin(response);
    void handle(request, response);
  };
  const server = createListener(listener, options);
  server.on('checkContinue', listener);
  const ending = new WeakSet<Duplex>();
  server.on('clientError', (error, socket) => {
    if (ending.has(socket)) return;
    ending.add(socket.pause());
    const { requestTimeoutMs: limitMs } = options;
    tracker.afterEarlier(socket, () => {
      if (!tracker.mayAnswer(socket)) socket.destroy();
      else answerClientError(error, socket, { limitMs, target: tracker.targetOf(socket) });
    });
  });
  server.setTimeout(options.idleTimeoutMs);
  const sockets = trackSockets(server);
  await listen(server, options);
  const lane =
    typeof handlers === 'function' ? undefined : openPlainLane(server, handlers, { tracker, options });
  const connectionOf = limitConnections(server, { tracker, lane, options });
  const { onUpgrade } = options;
  if (onUpgrade !== undefined) {
    server.on('upgrade', (request, socket, head) =>
      tracker.afterEarlier(socket, () => onUpgrade(request, socket, head, connectionOf(socket))),
    );
  }
  const { port } = server.address() as AddressInfo;
  const drainSockets = options.drainSockets ?? (async () => undefined);
  return {
    host: options.host,
    port,
    close: (deadlineMs) => close(server, { tracker, drainSockets, sockets, deadlineMs }),
  };
}

type BoundParts = LaneParts & { readonly lane: PlainLane | undefined };

/** Limits the connections of a server. @returns a function that finds the connection of a stream. */
function limitConnections(
  server: Server,
  { tracker, lane, options: { connections, tls } }: BoundParts,
): (stream: Duplex) => Connection | undefined {
  if (connections === undefined) return () => undefined;
  return boundConnections(server, {
    ...{ connections, isTls: tls !== undefined, refuse: refuseConnection },
    ownerOf: (socket) => createHttpOwner({ server, tracker, lane }, socket),
  });
}

type LaneParts = { readonly tracker: RequestTracker; readonly options: HttpServerOptions };

/** Puts the plain lane before node:http, which takes each connection over with its first request that is not plain. */
function openPlainLane(
  server: Server,
  { servesPlain, handlePlain }: HttpHandlers,
  { tracker, options: { tls, requestTimeoutMs, idleTimeoutMs } }: LaneParts,
): PlainLane {
  const event = tls === undefined ? 'connection' : 'secureConnection';
  const takeOver = server.listeners(event).at(0) as (this: Server, socket: Socket) => void;
  server.off(event, takeOver);
  const lane = new PlainLane({
    serves: servesPlain,
    handle: handlePlain,
    handOver: (socket, chunk) => {
      takeOver.call(server, socket);
      socket.emit('data', chunk);
    },
    isLast: () => tracker.isDraining,
    onBegin: () => tracker.enter(),
    onEnd: () => tracker.leave(),
    maxHeadBytes: MAX_HEADER_BYTES,
    keepAliveMs: KEEP_ALIVE_MS,
    ...{ requestTimeoutMs, idleTimeoutMs },
    onNeverAsked: (socket) => server.emit('clientError', new RequestTimeout(), socket),
  });
  server.on(event, (socket: Socket) => lane.open(socket));
  const sweeping = setInterval(() => lane.sweep(), checkIntervalMs(requestTimeoutMs));
  server.once('close', () => clearInterval(sweeping));
  return lane;
}

/** The timeout error in the form that node:http reports it. */
class RequestTimeout extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}

/** Returns the interval at which connections are checked for timeouts. */
function checkIntervalMs(requestTimeoutMs: number): number {
  return Math.min(1_000, requestTimeoutMs / 2);
}

function createListener(
  listener: RequestListener,
  { requestTimeoutMs, tls, onUpgrade }: HttpServerOptions,
): Server {
  const limits = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: checkIntervalMs(requestTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    noDelay: true,
    shouldUpgradeCallback: (request: IncomingMessage) => onUpgrade !== undefined && asksForWebSocket(request),
  };
  if (tls === undefined) return createServer(limits, listener);
  const { cert, key, follow } = tls;
  const server = createTlsServer({ ...limits, cert, key, handshakeTimeout: requestTimeoutMs }, listener);
  follow?.((pair) => server.setSecureContext(pair));
  return server;
}

function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Fails like `startHttpServer` if the address cannot be listened on, before anything else has been started. */
export async function assertListenable(options: ListenOptions): Promise<void> {
  const server = createServer();
  await listen(server, options);
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

function listen(server: Server, { host, port, portSetting }: ListenOptions): Promise<void> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(serviceError('portTaken', { address, setting: portSetting }, error));
      else reject(serviceError('listenFailed', { address, reason: error.message }, error));
    });
    server.listen({ host, port }, resolve);
  });
}

/** Tracks the connections of a server, including those in a TLS handshake, which `closeAllConnections` leaves open. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

type Closing = {
  readonly tracker: RequestTracker;
  readonly drainSockets: (deadlineMs: number) => Promise<void>;
  readonly sockets: ReadonlySet<Socket>;
  readonly deadlineMs: number;
};

async function close(server: Server, { tracker, drainSockets, sockets, deadlineMs }: Closing): Promise<void> {
  const closed = new Promise<void>((resolve) => stopListening(server, resolve));
  await Promise.all([tracker.drain(deadlineMs), drainSockets(deadlineMs)]);
  server.closeAllConnections();
  for (const socket of sockets) socket.destroy();
  await closed;
}

/** The close of http.Server would cut idle connections at once, and with them requests that are about to arrive. */
function stopListening(server: Server, onClosed: () => void): void {
  NetServer.prototype.close.call(server, onClosed);
}
