import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

type Arrival = {
  /** The latest request whose head has arrived; undefined once it is known to have arrived whole. */
  request: IncomingMessage | undefined;
  /** The time since when a request is known to be arriving; undefined: none is. */
  sinceMs: number | undefined;
  /** The bytes that the connection had received when nothing was arriving. */
  bytes: number;
};

export type ArrivalWatchOptions = {
  /** Milliseconds that a request may take to arrive, head and body. */
  readonly limitMs: number;
  /** Called once for a connection whose request takes longer. */
  readonly onLate: (socket: Socket) => void;
};

/**
 * Limits the time in which requests arrive. node:http does so only for connections that it has accepted itself, not for those
 * that it is given.
 */
export class ArrivalWatch {
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

  /** A request has been answered: what comes from now on belongs to the next. */
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
