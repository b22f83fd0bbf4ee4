import type { Socket } from 'node:net';
import { PlainConnection, type PlainConnectionOptions } from './plain-connection.ts';

export type PlainLaneOptions = Omit<PlainConnectionOptions, 'onGone'> & {
  /** How long a connection may say nothing before its first request. */
  readonly requestTimeoutMs: number;
  /** Ends a connection that has never asked for anything. */
  readonly onNeverAsked: (socket: Socket) => void;
};

/** How many bytes had gone either way when a connection fell silent. */
type Silence = { readonly bytes: number; readonly sinceMs: number };

/** The connections of a server before they are handed to node:http. A sweep looks at all of them; only one with an unread answer has a timer. */
export class PlainLane {
  readonly #options: PlainLaneOptions;
  readonly #connections = new Map<PlainConnection, Silence>();

  constructor(options: PlainLaneOptions) {
    this.#options = options;
  }

  /** Takes a new connection in. */
  open(socket: Socket): void {
    const onGone = (): void => void this.#connections.delete(connection);
    const connection = new PlainConnection(socket, { ...this.#options, onGone });
    this.#connections.set(connection, { bytes: 0, sinceMs: performance.now() });
  }

  /** Ends the connections that have been silent for too long. To be called every second or so. */
  sweep(): void {
    const nowMs = performance.now();
    for (const [connection, { bytes, sinceMs }] of this.#connections) {
      const moved = connection.socket.bytesRead + connection.socket.bytesWritten;
      if (moved !== bytes) {
        this.#connections.set(connection, { bytes: moved, sinceMs: nowMs });
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
