import type { Agent as NodeAgent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as requestTls } from 'node:https';
import type { Socket } from 'node:net';
import { Agent, request } from '../../../core/node-http.ts';
import { serviceError, type ServiceError } from '../../../core/service-error.ts';
import { readNodeAddress } from '../../../core/config/node-address.ts';
import type { UpstreamReply } from '../../../core/rpc/upstream-reply.ts';
import { BATCH, type Upstream, type UpstreamRequest, BrokenConnection } from '../upstream.ts';
import { isRead } from '../pool/attempt.ts';
import type { ExchangePool, Exchange, Flow } from './exchange.ts';
import { FairPool } from './fair-pool.ts';
import { socketOpener, NodeConnection, type NodeConnectionOptions } from './node-connection.ts';
import { type CollectedReply, ReplyCollector } from './reply-collector.ts';
import { startDeadline } from '../../../core/deadline.ts';
import { IDLE_MS, type ResponseHead } from './response-head.ts';

/** Deadlines in milliseconds: to connect, and between two parts of a response. */
export type HttpUpstreamOptions = {
  readonly url: string;
  /** False: node:http opens and reads the connections. Default: true. */
  readonly ownClient?: boolean;
  readonly connections: number;
  readonly connectTimeoutMs: number;
  readonly bodyTimeoutMs: number;
};

/**
 * Connects to a ledger node over HTTP/1.1 with kept-alive connections. Sends the bytes unchanged, with its own header fields only.
 * Checks the reply's status and content type; `wrapUpstream` checks its content and the time until it begins.
 */
export function createHttpUpstream(options: HttpUpstreamOptions): Upstream {
  const pool = new FairPool(openPool(options), options.connections);
  return {
    send: async (request: UpstreamRequest): Promise<UpstreamReply> => {
      const { body, method, signal, accountId } = request;
      signal.throwIfAborted();
      const isUrgent = accountId === undefined || !isRead(request);
      const collector = new ReplyCollector(body, method === BATCH, accountId, isUrgent);
      const forget = signal.onAbort((reason) => pool.cancel(collector, reason));
      try {
        pool.dispatch(collector);
        return toReply(await collector.reply, forget);
      } catch (error) {
        forget();
        throw error;
      }
    },
    close: async () => pool.close(),
  };
}

function openPool({ url, ownClient = true, ...options }: HttpUpstreamOptions): ExchangePool {
  const address = readNodeAddress(url);
  if (address === undefined)
    throw serviceError('internalError', {}, new Error('a node has no valid address'));
  const { path, authorization } = address;
  const origin = new URL(address.origin);
  const headers = {
    Host: origin.host,
    Connection: 'keep-alive',
    'Content-Type': 'application/json',
    Accept: 'application/json',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
  if (!ownClient) return new BuiltinHttpPool({ ...options, origin, path, headers });
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const requestHead = [`POST ${path} HTTP/1.1`, ...fields, 'Content-Length: '].join('\r\n');
  return new ConnectionPool({ ...options, ...socketOpener(origin), requestHead });
}

/** A stream stays cancellable by the signal until it has closed; a whole reply needs the signal no longer. */
function toReply(reply: CollectedReply, forget: () => void): UpstreamReply {
  if (reply.kind === 'stream') {
    reply.body.once('close', forget);
    return reply;
  }
  forget();
  return { ...reply, isError: false };
}

export type ConnectionPoolOptions = Omit<NodeConnectionOptions, 'onReady' | 'onFree' | 'onClose'> & {
  /** Most connections at the same time. */
  readonly connections: number;
};

const SWEEP_MS = 1_000;

/**
 * The connections to one node. An exchange takes a free one, or waits for the first that becomes free, and opens one more if
 * the limit allows; if it is cancelled meanwhile, that connection goes to the next.
 */
export class ConnectionPool implements ExchangePool {
  readonly #options: ConnectionPoolOptions;
  readonly #all = new Set<NodeConnection>();
  /** Last in, first out, so that surplus connections age and are closed. */
  readonly #idle: NodeConnection[] = [];
  readonly #waiting = new Set<Exchange>();
  /** The number of connections that are still connecting. */
  #connecting = 0;
  readonly #sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  #isClosed = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  dispatch(exchange: Exchange): void {
    if (this.#isClosed) {
      exchange.onError(serviceError('upstreamUnavailable', {}, new Error('the connections were closed')));
      return;
    }
    const nowMs = performance.now();
    for (let free = this.#idle.pop(); free !== undefined; free = this.#idle.pop()) {
      if (free.isFresh(nowMs)) {
        free.send(exchange);
        return;
      }
      free.destroy(new Error('idle for too long'));
    }
    this.#waiting.add(exchange);
    if (this.#all.size < this.#options.connections) this.#open();
  }

  forget(exchange: Exchange): void {
    this.#waiting.delete(exchange);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    const reason = new Error('the connections were closed');
    for (const connection of this.#all) connection.destroy(reason);
    for (const exchange of this.#waiting) exchange.onError(serviceError('upstreamUnavailable', {}, reason));
    this.#waiting.clear();
  }

  #open(): void {
    const connection: NodeConnection = new NodeConnection({
      ...this.#options,
      onReady: () => {
        this.#connecting -= 1;
        this.#onFree(connection);
      },
      onFree: () => this.#onFree(connection),
      onClose: (failure) => this.#onClose(connection, failure),
    });
    this.#all.add(connection);
    this.#connecting += 1;
  }

  #onFree(connection: NodeConnection): void {
    const next = this.#takeWaiting();
    if (next === undefined) this.#idle.push(connection);
    else connection.send(next);
  }

  /** A failed connection fails a waiting exchange only if fewer connections are opening than exchanges are waiting. */
  #onClose(connection: NodeConnection, failure: ServiceError | undefined): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    if (failure !== undefined) {
      this.#connecting -= 1;
      if (this.#waiting.size > this.#connecting) this.#takeWaiting()?.onError(failure);
    }
    if (this.#waiting.size > this.#connecting) this.#open();
  }

  #takeWaiting(): Exchange | undefined {
    for (const exchange of this.#waiting) {
      this.#waiting.delete(exchange);
      return exchange;
    }
    return undefined;
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const connection of this.#idle) {
      if (!connection.isFresh(nowMs)) connection.destroy(new Error('idle for too long'));
    }
  }
}

type BuiltinHttpPoolOptions = {
  readonly origin: URL;
  readonly path: string;
  /** The header fields of every request, except for the content length. */
  readonly headers: Readonly<Record<string, string>>;
  /** Most connections at the same time. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  readonly bodyTimeoutMs: number;
};

const KEEP_ALIVE_PROBE_MS = 60_000;

/** The connections to one node, opened, kept and read by node:http alone. */
export class BuiltinHttpPool implements ExchangePool {
  readonly #request: () => ClientRequest;
  readonly #agent: NodeAgent;
  readonly #options: BuiltinHttpPoolOptions;
  readonly #calls = new Map<Exchange, NodeHttpCall>();
  readonly #established = new WeakSet<Socket>();
  #isClosed = false;

  constructor(options: BuiltinHttpPoolOptions) {
    const { origin, path, headers, connections } = options;
    const isTls = origin.protocol === 'https:';
    const pool = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_PROBE_MS, timeout: IDLE_MS };
    const limits = { maxSockets: connections, maxFreeSockets: connections };
    const agent = isTls ? new TlsAgent({ ...pool, ...limits }) : new Agent({ ...pool, ...limits });
    const host = origin.hostname.replace(/^\[(.*)\]$/, '$1');
    const target: RequestOptions = { agent, method: 'POST', host, port: origin.port, path, headers };
    this.#request = () => (isTls ? requestTls(target) : request(target));
    this.#agent = agent;
    this.#options = options;
  }

  dispatch(exchange: Exchange): void {
    if (this.#isClosed) {
      exchange.onError(closed());
      return;
    }
    const call = new NodeHttpCall(exchange, this.#request(), {
      ...this.#options,
      whenEstablished: (socket, then) => this.#whenEstablished(socket, then),
      onOver: () => void this.#calls.delete(exchange),
    });
    this.#calls.set(exchange, call);
  }

  forget(exchange: Exchange): void {
    const call = this.#calls.get(exchange);
    if (call?.isStarted === false) call.cancel();
  }

  close(): void {
    this.#isClosed = true;
    for (const call of this.#calls.values()) call.close();
    this.#agent.destroy();
  }

  /** Calls back once nothing but the request is missing on a socket: at once if it has carried another. */
  #whenEstablished(socket: Socket, then: () => void): void {
    if (this.#established.has(socket)) {
      then();
      return;
    }
    socket.once(this.#agent instanceof TlsAgent ? 'secureConnect' : 'connect', () => {
      this.#established.add(socket);
      then();
    });
  }
}

type CallOptions = Pick<BuiltinHttpPoolOptions, 'connectTimeoutMs' | 'bodyTimeoutMs'> & {
  readonly whenEstablished: (socket: Socket, then: () => void) => void;
  readonly onOver: () => void;
};

/** One exchange. Nothing is sent before its connection is established. */
class NodeHttpCall implements Flow {
  readonly #exchange: Exchange;
  readonly #message: ClientRequest;
  readonly #options: CallOptions;
  #response: IncomingMessage | undefined;
  #endWait = (): void => undefined;
  #isOver = false;
  isStarted = false;

  constructor(exchange: Exchange, message: ClientRequest, options: CallOptions) {
    this.#exchange = exchange;
    this.#message = message;
    this.#options = options;
    message.once('socket', (socket) => {
      const { connectTimeoutMs: limitMs } = options;
      this.#limit(limitMs, () => this.#fail(unavailable(new Error(`no connection within ${limitMs} ms`))));
      options.whenEstablished(socket, () => this.#start());
    });
    message.once('response', (response) => this.#read(response));
    message.on('error', (error) => this.#break(error));
    message.once('close', () => this.#break(new Error('the connection has closed')));
  }

  hold(): void {
    this.#response?.pause();
    this.#endWait();
  }

  resume(): void {
    if (this.#isOver) return;
    this.#response?.resume();
    this.#limitBody();
  }

  cancel(): void {
    this.#finish();
    this.#message.destroy();
  }

  close(): void {
    if (this.isStarted) this.#break(new Error('the connections were closed'));
    else this.#fail(closed());
  }

  #start(): void {
    if (this.#isOver) return;
    this.#endWait();
    this.isStarted = true;
    this.#exchange.onStart(this);
    if (!this.#isOver) this.#message.end(this.#exchange.body);
  }

  #read(response: IncomingMessage): void {
    if (this.#isOver) return;
    this.#response = response;
    response.on('error', (error) => this.#break(error));
    response.on('data', (data: Buffer) => {
      if (this.#isOver) return;
      this.#exchange.onData(data);
      if (!response.isPaused()) this.#limitBody();
    });
    response.once('end', () => {
      if (this.#isOver) return;
      this.#finish();
      this.#exchange.onEnd();
    });
    this.#limitBody();
    this.#exchange.onHead(readHead(response));
  }

  #limitBody(): void {
    const { bodyTimeoutMs: limitMs } = this.#options;
    if (!this.#isOver) this.#limit(limitMs, () => this.#fail(serviceError('upstreamTimeout', { limitMs })));
  }

  #limit(limitMs: number, onLate: () => void): void {
    this.#endWait();
    this.#endWait = startDeadline(limitMs, onLate);
  }

  #break(cause: Error): void {
    if (!this.isStarted) this.#fail(unavailable(cause));
    else
      this.#fail(serviceError('upstreamBroken', {}, new BrokenConnection('the connection broke', { cause })));
  }

  #fail(error: ServiceError): void {
    if (this.#isOver) return;
    this.cancel();
    this.#exchange.onError(error);
  }

  #finish(): void {
    this.#isOver = true;
    this.#endWait();
    this.#options.onOver();
  }
}

function readHead({ statusCode = 0, headers }: IncomingMessage): ResponseHead {
  const length = headers['content-length'];
  const sized = length === undefined ? undefined : { kind: 'sized' as const, sizeBytes: Number(length) };
  return {
    status: statusCode,
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    body: sized ?? { kind: headers['transfer-encoding'] === undefined ? 'untilEnd' : 'chunked' },
    idleMs: IDLE_MS,
  };
}

function unavailable(cause: Error): ServiceError {
  return serviceError('upstreamUnavailable', {}, cause);
}

function closed(): ServiceError {
  return unavailable(new Error('the connections were closed'));
}
