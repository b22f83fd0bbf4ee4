import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as TlsAgent, request as requestTls } from 'node:https';
import type { Socket } from 'node:net';
import { startDeadline } from '../../base/deadline.ts';
import { type ServiceError, serviceError } from '../../base/service-error.ts';
import { BrokenConnection } from '../broken-connection.ts';
import type { Exchange, ExchangePool, Flow } from './exchange.ts';
import { IDLE_MS, type ResponseHead } from './response-head.ts';

export type NodeHttpPoolOptions = {
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
export class NodeHttpPool implements ExchangePool {
  readonly #request: () => ClientRequest;
  readonly #agent: Agent;
  readonly #options: NodeHttpPoolOptions;
  readonly #calls = new Map<Exchange, NodeHttpCall>();
  readonly #established = new WeakSet<Socket>();
  #isClosed = false;

  constructor(options: NodeHttpPoolOptions) {
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

type CallOptions = Pick<NodeHttpPoolOptions, 'connectTimeoutMs' | 'bodyTimeoutMs'> & {
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
