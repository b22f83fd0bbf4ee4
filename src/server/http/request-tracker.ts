import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { PlainResponse } from './plain/plain-response.ts';

/** Milliseconds that a stopping server waits for requests that may be on their way on kept-alive connections. */
const GRACE_MS = 100;
/** Milliseconds during which a request whose body is still arriving is not cut to make room for another connection. */
const BODY_GRACE_MS = 2_000;

/** Tracks the requests in flight, so that a stopping server can wait for them. Tracked per connection, which is cheap. */
export class RequestTracker {
  readonly #latest = new Map<Duplex, ServerResponse>();
  /** The answer that each connection is being given; later requests may wait for it. */
  readonly #serving = new WeakMap<Duplex, ServerResponse>();
  /** The time since when a request's body is known to be incomplete. */
  readonly #incomplete = new WeakMap<ServerResponse, number>();
  #underWay = 0;
  #isDraining = false;
  #onEnd: () => void = () => undefined;

  /** Adds a request. While the server drains it is served too, and its connection closed after it. */
  begin(response: ServerResponse): void {
    const { socket } = response.req;
    if (!this.#latest.has(socket)) socket.once('close', () => this.#latest.delete(socket));
    this.#latest.set(socket, response);
    this.enter();
    response.on('close', () => this.leave());
    if (this.#isDraining) response.setHeader('connection', 'close');
  }

  /** Notes that a request's turn has come: those before it on its connection have been answered. */
  serve(response: ServerResponse): void {
    this.#serving.set(response.req.socket, response);
  }

  /** Closes every connection after its next answer, from now on. */
  closeAfterAnswers(): void {
    this.#isDraining = true;
    for (const response of this.#latest.values()) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
  }

  /** True if every connection closes after its next answer. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Counts a request whose connection is not node:http's; `leave` ends it. */
  enter(): void {
    this.#underWay++;
  }

  leave(): void {
    this.#underWay--;
    this.#onEnd();
  }

  /**
   * True if an answer written on this connection now would be read as the answer to what has just failed on it: not in the
   * middle of another answer, and not after one to the same request.
   */
  mayAnswer(socket: Duplex): boolean {
    const latest = this.#latest.get(socket);
    if (latest === undefined) return true;
    return latest.req.complete ? latest.writableFinished : latest.socket !== null && !latest.headersSent;
  }

  /**
   * True if a received request is being answered on a connection, or a request's body only began to arrive: the time counts
   * from the first call of this method, so that tracking costs requests nothing. An answer that a stranger does not take is no work.
   */
  isBusy(socket: Duplex): boolean {
    const latest = this.#latest.get(socket);
    if (latest === undefined || latest.writableFinished || this.isUntaken(socket)) return false;
    if (latest.req.complete) return true;
    const nowMs = performance.now();
    const sinceMs = this.#incomplete.get(latest) ?? nowMs;
    this.#incomplete.set(latest, sinceMs);
    return nowMs - sinceMs < BODY_GRACE_MS;
  }

  /** True if a connection has been given all of an answer, and a caller without a key, token or session has not taken it. */
  isUntaken(socket: Duplex): boolean {
    const serving = this.#serving.get(socket);
    return serving?.writableEnded === true && !serving.writableFinished && !ADMITTED.has(serving);
  }

  /** True if a request has been answered on a connection, and none has begun since. */
  hasServed(socket: Duplex): boolean {
    return this.#latest.get(socket)?.writableFinished === true;
  }

  /**
   * Calls back when the earlier requests of a connection have been answered: at once if none is in flight, or only the latest
   * one, whose body is still arriving.
   */
  afterEarlier(socket: Duplex, then: () => void): void {
    const latest = this.#latest.get(socket);
    const isUnderWay = latest !== undefined && !latest.writableFinished && !socket.destroyed;
    if (isUnderWay && latest.req.complete) latest.once('close', then);
    else if (isUnderWay && latest.socket === null) latest.once('socket', then);
    else then();
  }

  /** Returns the target of the request whose body was still arriving on this connection; undefined without one. */
  targetOf(socket: Duplex): string | undefined {
    const request = this.#latest.get(socket)?.req;
    return request?.complete === false ? request.url : undefined;
  }

  /**
   * Resolves when no request is in flight, or after `deadlineMs`. A client that was about to send the next request on its
   * connection is still answered, with `Connection: close`.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.closeAfterAnswers();
    const ended = Promise.withResolvers<void>();
    const deadline = setTimeout(ended.resolve, deadlineMs);
    const grace = setTimeout(
      () => {
        this.#onEnd = () => {
          if (this.#underWay === 0) ended.resolve();
        };
        this.#onEnd();
      },
      Math.min(GRACE_MS, deadlineMs),
    );
    await ended.promise;
    clearTimeout(deadline);
    clearTimeout(grace);
  }

  /** Marks the answers that are not complete, whose connections are about to be cut, as broken off by this server. */
  markBroken(): void {
    for (const response of this.#latest.values())
      if (response.req.complete && !response.writableFinished) markBroken(response);
  }
}

const ADMITTED = new WeakSet<ServerResponse>();

/** Marks the answer to a caller with a valid key, token or session: its connection is in use until it has been taken. */
export function markAdmitted(response: ServerResponse | PlainResponse): void {
  if (response instanceof PlainResponse) response.isAdmitted = true;
  else ADMITTED.add(response);
}

const BROKEN = new WeakSet<ServerResponse>();

/** Marks an answer that this server breaks off, or cannot give; call it before its connection is destroyed. */
export function markBroken(response: ServerResponse): void {
  BROKEN.add(response);
}

/** True for an answer that this server broke off or could not give. */
export function isBroken(response: ServerResponse): boolean {
  return BROKEN.has(response);
}
