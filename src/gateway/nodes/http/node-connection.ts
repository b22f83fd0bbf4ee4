import { type Socket, connect as connectTcp, isIP, type OnReadOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ServiceError, serviceError } from '../../../core/service-error.ts';
import { BrokenConnection } from '../upstream.ts';
import type { Exchange, Flow } from './exchange.ts';
import { IDLE_MS } from './response-head.ts';
import { ResponseReader } from './response-reader.ts';

export type NodeConnectionOptions = {
  /** Opens the socket; it emits `readyEvent` when it is writable. */
  readonly open: (onData: OnData) => Socket;
  readonly readyEvent: 'connect' | 'secureConnect';
  /** True if it may deliver buffered data even when it is paused. */
  readonly readsOn: boolean;
  /** The head of every request, up to the number of the content length, which comes last. */
  readonly requestHead: string;
  readonly connectTimeoutMs: number;
  /** Most milliseconds without data in a response that has begun. */
  readonly bodyTimeoutMs: number;
  /** The connection is established and can take an exchange. */
  readonly onReady: () => void;
  /** The exchange is over, and the connection can take another. */
  readonly onFree: () => void;
  /** `failure`: the reason why it never connected. */
  readonly onClose: (failure: ServiceError | undefined) => void;
};

/** A request up to this size is copied behind its head: one write costs less than two. */
const COPIED_BYTES = 16_384;

/** A connection to a node that carries one exchange at a time. */
export class NodeConnection implements Flow {
  readonly #options: NodeConnectionOptions;
  readonly #socket: Socket;
  readonly #reader = new ResponseReader();
  #exchange: Exchange | undefined;
  #isReady = false;
  #isReading = false;
  /** True while the delivered bytes are on hold. */
  #isHeld = false;
  #fault: Error | undefined;
  /** The time at which its idle period is over, by `performance.now()`. */
  #idleUntilMs = 0;

  constructor(options: NodeConnectionOptions) {
    this.#options = options;
    const socket = options.open((bytes) => {
      // The next exchange may begin within this read. One that has ended never resumes, so a hold belongs to the current one.
      const exchange = this.#exchange;
      this.#isHeld = false;
      this.#onData(bytes);
      return this.#isHeld && (options.readsOn || this.#exchange !== exchange);
    });
    this.#socket = socket;
    socket.setNoDelay(true).setKeepAlive(true, 60_000).setTimeout(options.connectTimeoutMs);
    socket.once(options.readyEvent, () => this.#onReady());
    socket.on('end', () => this.#onEnd());
    socket.on('timeout', () => this.#onTimeout());
    socket.on('error', (error) => {
      this.#fault ??= error;
    });
    socket.on('close', () => this.#onClose());
  }

  /** Sends the next exchange; the one before must be over. */
  send(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.onStart(this);
    if (this.#exchange !== exchange) return;
    this.#reader.begin(exchange);
    this.#write(exchange.body);
  }

  /** True if it can still take another exchange. */
  isFresh(nowMs: number): boolean {
    return nowMs < this.#idleUntilMs && this.#socket.writable;
  }

  hold(): void {
    this.#isHeld = true;
    this.#socket.pause().setTimeout(0);
  }

  resume(): void {
    this.#socket.resume();
    if (this.#isReading) this.#socket.setTimeout(this.#options.bodyTimeoutMs);
  }

  cancel(): void {
    this.#exchange = undefined;
    this.#socket.destroy();
  }

  /** Closes it, whatever it carries. */
  destroy(reason: Error): void {
    this.#fault ??= reason;
    this.#socket.destroy();
  }

  #onReady(): void {
    this.#isReady = true;
    this.#socket.setTimeout(0);
    this.#idleUntilMs = performance.now() + IDLE_MS;
    this.#options.onReady();
  }

  #write(body: Buffer): void {
    const socket = this.#socket;
    const head = `${this.#options.requestHead}${body.length}\r\n\r\n`;
    if (body.length > COPIED_BYTES) {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body);
      socket.uncork();
      return;
    }
    const request = Buffer.allocUnsafe(head.length + body.length);
    request.write(head, 'latin1');
    body.copy(request, head.length);
    socket.write(request);
  }

  /** A read of several records delivers all of them even after the socket is destroyed: after a fault they must not end the response. */
  #onData(chunk: Buffer): void {
    if (this.#socket.destroyed) return;
    try {
      const head = this.#reader.read(chunk);
      if (this.#exchange === undefined) return;
      if (head !== undefined) this.#finish(head.idleMs);
      else if (!this.#isReading) this.#startTimer();
    } catch (error) {
      this.#fault =
        error instanceof Error ? error : new Error('reading the response failed', { cause: error });
      this.#socket.destroy();
    }
  }

  /** Most responses arrive in one read and never need a timer. */
  #startTimer(): void {
    this.#isReading = true;
    if (!this.#socket.isPaused()) this.#socket.setTimeout(this.#options.bodyTimeoutMs);
  }

  /** A connection is not reused if the node answered before it had read the whole request. */
  #finish(idleMs: number): void {
    const socket = this.#socket;
    this.#exchange = undefined;
    if (this.#isReading) socket.setTimeout(0);
    this.#isReading = false;
    if (idleMs === 0 || socket.writableLength > 0) {
      socket.destroy();
      return;
    }
    if (socket.isPaused()) socket.resume();
    this.#idleUntilMs = performance.now() + idleMs;
    this.#options.onFree();
  }

  #onEnd(): void {
    if (this.#reader.end()) this.#exchange = undefined;
    this.#socket.destroy();
  }

  /** Gives up, unless bytes arrived while the process was paused: those are read first. */
  #onTimeout(): void {
    const [isReady, { bytesRead }] = [this.#isReady, this.#socket];
    setImmediate(() => {
      if (isReady === this.#isReady && bytesRead === this.#socket.bytesRead) this.#giveUp();
    });
  }

  #giveUp(): void {
    const limitMs = this.#options.bodyTimeoutMs;
    this.#fault = this.#isReady
      ? serviceError('upstreamTimeout', { limitMs })
      : new Error(`no connection within ${this.#options.connectTimeoutMs} ms`);
    this.#socket.destroy();
  }

  #onClose(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#options.onClose(this.#isReady ? undefined : serviceError('upstreamUnavailable', {}, this.#fault));
    exchange?.onError(this.#error());
  }

  #error(): ServiceError {
    const cause = this.#fault;
    if (cause instanceof ServiceError) return cause;
    return serviceError('upstreamBroken', {}, new BrokenConnection('the connection broke', { cause }));
  }
}

/** Takes received bytes. @returns true if it keeps them; if not, the next read overwrites them. */
export type OnData = (bytes: Buffer) => boolean;

/** Opens sockets to one origin. */
type SocketOpener = {
  readonly open: (onData: OnData) => Socket;
  /** The event that a socket emits when it is writable. */
  readonly readyEvent: 'connect' | 'secureConnect';
  /** True if a paused socket may still deliver what it has read: TLS does, record by record. */
  readonly readsOn: boolean;
};

/** The size of one read. Each socket reuses one buffer of this size: a new buffer for each read would cost more than the copies. */
const READ_BYTES = 65_536;
/** The most that one TLS record holds (RFC 8446, section 5.1); a record is delivered at once. */
const RECORD_BYTES = 16_384;

/**
 * Returns an opener of sockets to an http or https origin. TLS certificates are verified, and sessions are resumed until a
 * socket fails.
 */
export function socketOpener({ protocol, hostname, port }: URL): SocketOpener {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'http:') {
    const address = { host, port: Number(port || 80) };
    const open: SocketOpener['open'] = (onData) =>
      connectTcp({ ...address, onread: onRead(onData, READ_BYTES) });
    return { open, readyEvent: 'connect', readsOn: false };
  }
  const named = isIP(host) === 0 ? { servername: host } : {};
  const address = { host, port: Number(port || 443), ALPNProtocols: ['http/1.1'], ...named };
  let session: Buffer | undefined;
  const open: SocketOpener['open'] = (onData) => {
    const taken = session === undefined ? {} : { session };
    const options = { ...address, ...taken, onread: onRead(onData, RECORD_BYTES) };
    const socket = connectTls(options);
    socket.once('error', () => {
      session = undefined;
    });
    return socket.on('session', (next) => {
      session = next;
    });
  };
  return { open, readyEvent: 'secureConnect', readsOn: true };
}

/**
 * Reads continue after kept bytes while the buffer has room for `leastBytes`, so that small records do not take a whole buffer
 * each.
 */
function onRead(onData: OnData, leastBytes: number): OnReadOpts {
  let buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  return {
    buffer: () => buffer,
    callback: (sizeBytes) => {
      if (onData(buffer.subarray(0, sizeBytes))) {
        const rest = buffer.subarray(sizeBytes);
        buffer = rest.length < leastBytes ? Buffer.allocUnsafeSlow(READ_BYTES) : rest;
      }
      return true;
    },
  };
}
