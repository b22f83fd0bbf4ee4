import type { Socket } from 'node:net';
import { PlainConnection, type PlainConnectionOptions } from './plain-connection.ts';

export type PlainLaneOptions = Omit<PlainConnectionOptions, 'onGone'> & {
  /** Milliseconds that a connection may be silent before its first request. */
  readonly requestTimeoutMs: number;
  /** Closes a connection that has never sent a request. */
  readonly onNeverAsked: (socket: Socket) => void;
};

/** A connection, and the bytes transferred either way when it fell silent. */
type Watched = { readonly connection: PlainConnection; bytes: number; sinceMs: number };

/**
 * The connections of a server before they are handed to node:http. A sweep checks all of them; only one with an unread answer
 * has a timer.
 */
export class PlainLane {
  readonly #options: PlainLaneOptions;
  readonly #connections = new Map<Socket, Watched>();

  constructor(options: PlainLaneOptions) {
    this.#options = options;
  }

  /** Adds a new connection. */
  open(socket: Socket): void {
    const onGone = (): void => void this.#connections.delete(socket);
    const connection = new PlainConnection(socket, { ...this.#options, onGone });
    this.#connections.set(socket, { connection, bytes: 0, sinceMs: performance.now() });
  }

  /** True while an answer is in progress on a connection of the lane. */
  isBusy(socket: Socket): boolean {
    return this.#connections.get(socket)?.connection.isBusy === true;
  }

  /** True if a caller without a key does not take its answer on a connection of the lane. */
  isUntaken(socket: Socket): boolean {
    return this.#connections.get(socket)?.connection.isUntaken === true;
  }

  /** True if a request on a connection of the lane has been answered. */
  hasServed(socket: Socket): boolean {
    return this.#connections.get(socket)?.connection.hasServed === true;
  }

  /** Closes the connections that have been silent for too long. Call it about every second. */
  sweep(): void {
    const nowMs = performance.now();
    for (const [socket, watched] of this.#connections) {
      const { connection, bytes, sinceMs } = watched;
      const moved = socket.bytesRead + socket.bytesWritten;
      if (moved !== bytes) {
        watched.bytes = moved;
        watched.sinceMs = nowMs;
        continue;
      }
      if (!connection.isBusy) connection.forget();
      if (nowMs - sinceMs >= this.#limitMs(connection)) this.#end(connection);
    }
  }

  #limitMs({ isBusy, hasServed, socket }: PlainConnection): number {
    const { idleTimeoutMs, keepAliveMs, requestTimeoutMs } = this.#options;
    if (socket.timeout) return Number.POSITIVE_INFINITY;
    if (isBusy) return idleTimeoutMs;
    return hasServed ? keepAliveMs : requestTimeoutMs;
  }

  #end({ socket, isBusy, hasServed }: PlainConnection): void {
    if (isBusy || hasServed) socket.destroy();
    else this.#options.onNeverAsked(socket);
  }
}
