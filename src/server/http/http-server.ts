import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer } from '../../core/node-http.ts';
import type { Connection, ConnectionOwner } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import { type ListenOptions, openListener } from '../connections/listener.ts';
import type { TlsOptions } from '../tls/tls-files.ts';
import {
  answerClientError,
  answerForbidden,
  ForbiddenRequest,
  refuseConnection,
  TooManyWaiting,
  createHttpOwner,
  type FailConnection,
} from './client-error.ts';
import type { PlainHandler } from './plain/plain-connection.ts';
import { PlainLane } from './plain/plain-lane.ts';
import { RequestTracker } from './request-tracker.ts';
import { discardRest, endGently } from './unread-bytes.ts';

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

export type HttpServerOptions = ListenOptions & {
  readonly tls?: TlsOptions | undefined;
  /** The connection limits that it shares with other listeners. Absent: unlimited. */
  readonly connections?: Connections | undefined;
  /** False: node:http parses all requests, plain ones too. Default: true. */
  readonly ownParser?: boolean;
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
  /** Continues to serve, and closes each connection after its next answer. */
  readonly closeAfterAnswers: () => void;
  /** Accepts no more connections, waits up to `deadlineMs` for requests in flight, then cuts all connections. */
  readonly close: (deadlineMs: number) => Promise<void>;
};

const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
const HOST = 'host';
/** Requests of a connection that may wait for the answer to the one before: clients that pipeline send a few. */
const MAX_WAITING = 128;

/**
 * Listens on one address.
 *
 * @throws ServiceError `portTaken`, or `listenFailed` with the system's reason.
 */
export async function startHttpServer(
  handlers: HttpHandler | HttpHandlers,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const { requestTimeoutMs, idleTimeoutMs, onUpgrade, connections } = options;
  const tracker = new RequestTracker();
  const fail = createFail(tracker, requestTimeoutMs);
  const arrivals = new ArrivalWatch({
    limitMs: requestTimeoutMs,
    onLate: (socket) => fail(new RequestTimeout(), socket),
  });
  const known = new WeakMap<Duplex, Connection>();
  const parser = createParser(handlers, { tracker, arrivals, fail, options });
  parser.on('clientError', fail);
  if (onUpgrade !== undefined) {
    parser.on('upgrade', (request, socket, head) => {
      arrivals.forget(request.socket);
      if (hasSeveralHosts(request)) return fail(new ForbiddenRequest(), socket);
      tracker.afterEarlier(socket, () => onUpgrade(request, socket, head, known.get(socket)));
    });
  }
  const parse = (socket: Socket): void => {
    arrivals.add(socket);
    // node:http calls it after the last answer, and the connection would be reset if the client is still sending.
    socket.destroySoon = () => endGently(socket, undefined, idleTimeoutMs);
    parser.emit('connection', socket);
  };
  const lane = openPlainLane(handlers, { tracker, parse, fail, options });
  const ownerOf = (socket: Socket): ConnectionOwner => createHttpOwner({ tracker, lane, fail }, socket);
  const listener = await openListener({
    ...options,
    protocol: 'http/1.1',
    handshakeTimeoutMs: requestTimeoutMs,
    bounds: {
      connections,
      ownerOf,
      refuse: refuseConnection,
      onAdmitted: (stream, connection) => void known.set(stream, connection),
    },
    serve: lane === undefined ? parse : (socket) => lane.open(socket),
  });
  const sweep = (): void => {
    arrivals.sweep();
    lane?.sweep();
  };
  const sweeping = setInterval(sweep, Math.min(1_000, requestTimeoutMs / 2));
  const drainSockets = options.drainSockets ?? (async () => undefined);
  return {
    host: options.host,
    port: listener.port,
    closeAfterAnswers: () => tracker.closeAfterAnswers(),
    close: async (deadlineMs) => {
      tracker.closeAfterAnswers();
      await listener.stop();
      await Promise.all([tracker.drain(deadlineMs), drainSockets(deadlineMs)]);
      tracker.markBroken();
      listener.cut();
      await listener.closed;
      clearInterval(sweeping);
    },
  };
}

/** Returns a function that ends a connection for an error, with an answer where the client would read it as such. */
function createFail(tracker: RequestTracker, limitMs: number): FailConnection {
  const ending = new WeakSet<Duplex>();
  return (error, socket) => {
    if (ending.has(socket)) return;
    ending.add(socket.pause());
    tracker.afterEarlier(socket, () => {
      if (!tracker.mayAnswer(socket)) socket.destroy();
      else answerClientError(error, socket, { limitMs, target: tracker.targetOf(socket) });
    });
  };
}

type ParserParts = {
  readonly tracker: RequestTracker;
  readonly arrivals: ArrivalWatch;
  readonly fail: FailConnection;
  readonly options: HttpServerOptions;
};

/** The requests of one connection: one is served at a time, those that arrived meanwhile wait. */
type Line = { isServing: boolean; waiting: (() => void)[] };

/** Creates the server of node:http that parses the connections it is given. It does not listen. */
function createParser(
  handlers: HttpHandler | HttpHandlers,
  { tracker, arrivals, fail, options: { onUpgrade, idleTimeoutMs } }: ParserParts,
): Server {
  const handle = typeof handlers === 'function' ? handlers : handlers.handle;
  const lines = new WeakMap<Socket, Line>();
  // node:http reads many requests at once, and would start to answer all of them.
  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? { isServing: false, waiting: [] };
    lines.set(socket, line);
    if (line.waiting.length >= MAX_WAITING) return fail(new TooManyWaiting(MAX_WAITING), socket);
    arrivals.begin(request);
    tracker.begin(response);
    response.on('close', () => {
      arrivals.end(request);
      const next = line.waiting.shift();
      line.isServing = next !== undefined;
      if (next !== undefined) setImmediate(() => socket.destroyed || next());
    });
    // Before node:http, which would discard it without a limit.
    response.prependListener('finish', () => {
      if (!request.complete) discardRest(request);
    });
    const serve = (): void => {
      line.isServing = true;
      tracker.serve(response);
      if (hasSeveralHosts(request)) answerForbidden(request, response);
      else void handle(request, response);
    };
    if (line.isServing || line.waiting.length > 0) line.waiting.push(serve);
    else serve();
  };
  const limits = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    shouldUpgradeCallback: (request: IncomingMessage) => onUpgrade !== undefined && asksForWebSocket(request),
  };
  // Node answers other expectations by itself, past the bound on waiting requests; they may be ignored (RFC 9110, section 10.1.1).
  const server = createServer(limits, listener).on('checkContinue', listener);
  return server.on('checkExpectation', listener).setTimeout(idleTimeoutMs);
}

/** True if a request has several Host fields, of which node:http keeps the first. HTTP forbids it (RFC 9112, section 3.2). */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  const names = rawHeaders.filter((text, at) => at % 2 === 0 && text.length === HOST.length);
  return names.filter((name) => name.toLowerCase() === HOST).length > 1;
}

type LaneParts = {
  readonly tracker: RequestTracker;
  readonly parse: (socket: Socket) => void;
  readonly fail: FailConnection;
  readonly options: HttpServerOptions;
};

/** Puts the plain lane before node:http, which parses each connection from its first request that is not plain. */
function openPlainLane(
  handlers: HttpHandler | HttpHandlers,
  { tracker, parse, fail, options: { ownParser = true, requestTimeoutMs, idleTimeoutMs } }: LaneParts,
): PlainLane | undefined {
  if (typeof handlers === 'function' || !ownParser) return undefined;
  return new PlainLane({
    serves: handlers.servesPlain,
    handle: handlers.handlePlain,
    handOver: (socket, chunk) => {
      parse(socket);
      socket.emit('data', chunk);
    },
    maxHeadBytes: MAX_HEADER_BYTES,
    keepAliveMs: KEEP_ALIVE_MS,
    tracker,
    requestTimeoutMs,
    idleTimeoutMs,
    onNeverAsked: (socket) => fail(new RequestTimeout(), socket),
  });
}

/** The timeout error in the form that node:http reports it. */
class RequestTimeout extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}

function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

type Arrival = {
  /** The latest request whose head has arrived; undefined once it is known to have arrived whole. */
  request: IncomingMessage | undefined;
  /** The time since when a request is known to be arriving; undefined: none is. */
  sinceMs: number | undefined;
  /** The bytes that the connection had received when nothing was arriving. */
  bytes: number;
};

type ArrivalWatchOptions = {
  /** Milliseconds that a request may take to arrive, head and body. */
  readonly limitMs: number;
  /** Called once for a connection whose request takes longer. */
  readonly onLate: (socket: Socket) => void;
};

/**
 * Limits the time in which requests arrive. node:http does so only for connections that it has accepted itself, not for those
 * that it is given.
 */
class ArrivalWatch {
  readonly #options: ArrivalWatchOptions;
  readonly #all = new Map<Socket, Arrival>();

  constructor(options: ArrivalWatchOptions) {
    this.#options = options;
  }

  /** Adds a connection, whose first request is awaited from now on. */
  add(socket: Socket): void {
    this.#all.set(socket, { request: undefined, sinceMs: performance.now(), bytes: 0 });
    socket.once('close', () => this.#all.delete(socket));
  }

  /** The head of a request has arrived. Its time began with the head, if that was noticed. */
  begin(request: IncomingMessage): void {
    const arrival = this.#all.get(request.socket);
    if (arrival === undefined) return;
    if (arrival.request !== undefined) arrival.sinceMs = undefined;
    arrival.request = request;
  }

  /** A request has been answered: bytes from now on belong to the next. */
  end(request: IncomingMessage): void {
    const arrival = this.#all.get(request.socket);
    if (arrival?.request === request) settle(request.socket, arrival);
  }

  /** Removes a connection whose protocol has changed. */
  forget(socket: Socket): void {
    this.#all.delete(socket);
  }

  /** Reports the connections whose request is late. Call it about every second. */
  sweep(): void {
    const nowMs = performance.now();
    for (const [socket, arrival] of this.#all) {
      if (!isArriving(socket, arrival)) continue;
      arrival.sinceMs ??= nowMs;
      if (nowMs - arrival.sinceMs < this.#options.limitMs) continue;
      this.#all.delete(socket);
      this.#options.onLate(socket);
    }
  }
}

function isArriving(socket: Socket, arrival: Arrival): boolean {
  settle(socket, arrival);
  return arrival.request !== undefined || arrival.sinceMs !== undefined || socket.bytesRead > arrival.bytes;
}

/** Notes that nothing is arriving if the latest request has arrived whole. */
function settle(socket: Socket, arrival: Arrival): void {
  if (arrival.request?.complete !== true) return;
  arrival.request = undefined;
  arrival.sinceMs = undefined;
  arrival.bytes = socket.bytesRead;
}
