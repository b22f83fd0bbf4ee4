import { type ServiceError, serviceError } from '../../base/service-error.ts';
import type { Exchange, ExchangePool } from './exchange.ts';
import { NodeConnection, type NodeConnectionOptions } from './node-connection.ts';

export type NodePoolOptions = Omit<NodeConnectionOptions, 'onReady' | 'onFree' | 'onClose'> & {
  /** Most connections at the same time. */
  readonly connections: number;
};

const SWEEP_MS = 1_000;

/**
 * The connections to one node. An exchange takes a free one, or waits for the first that becomes free, and opens one more if
 * the limit allows; if it is cancelled meanwhile, that connection goes to the next.
 */
export class NodePool implements ExchangePool {
  readonly #options: NodePoolOptions;
  readonly #all = new Set<NodeConnection>();
  /** Last in, first out, so that surplus connections age and are closed. */
  readonly #idle: NodeConnection[] = [];
  readonly #waiting = new Set<Exchange>();
  /** The number of connections that are still connecting. */
  #connecting = 0;
  readonly #sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  #isClosed = false;

  constructor(options: NodePoolOptions) {
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

  /** A failed connection fails a waiting exchange only if fewer connections are connecting than exchanges wait. */
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
