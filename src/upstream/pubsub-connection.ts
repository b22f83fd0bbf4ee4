import { WebSocket } from 'ws';
import { type ServiceError, serviceError } from '../base/service-error.ts';
import { type PubsubMessage, readPubsubMessage } from './pubsub-message.ts';

/** The reason why a connection to a node has ended. */
export type PubsubLoss = 'closed' | 'silent' | 'garbage' | 'stopped';

/** Receives the raw result of each notification of one subscription. */
export type OnNotification = (result: Buffer) => void;

/**
 * Observes a node's message: a notification by its name, a reply by the method of its call. It keeps none of the bytes, and
 * does not throw.
 */
export type OnMessage = (kind: 'notification' | 'reply', name: string, bytes: Buffer) => void;

/** The outcome of a subscribe call: the node's id for it, or the node's error object. */
export type Subscribed =
  | { readonly kind: 'subscribed'; readonly id: string }
  | { readonly kind: 'refused'; readonly error: Buffer };

export type PubsubOptions = {
  readonly connectTimeoutMs: number;
  /** Milliseconds that a node has to answer a call. */
  readonly callTimeoutMs: number;
  /** Called for a notification that cannot be read. */
  readonly onFailure: (error: unknown) => void;
};

type ConnectionOptions = PubsubOptions & {
  /** Observes every message before it is handled. */
  readonly onMessage: OnMessage | undefined;
};

type Reply = Exclude<PubsubMessage, { readonly kind: 'notification' }>;
type Pending = {
  readonly method: string;
  readonly take: (reply: Reply) => void;
  readonly fail: (error: ServiceError) => void;
  readonly timer: NodeJS.Timeout;
};

/** The largest notification: an account of 10 MiB as base64, or a block, with room to spare. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
/** Params with an id that no node gives. */
const NO_SUBSCRIPTION = `[${Number.MAX_SAFE_INTEGER}]`;
/** The node answered the request for a WebSocket with something else. */
export const NOT_SERVED = 'notServed';

/**
 * Opens a WebSocket to a node.
 *
 * @returns the connection, or `notServed` if the node answers at this address but takes no WebSocket there.
 * @throws ServiceError `upstreamUnavailable`.
 */
export function openPubsub(
  url: string,
  options: ConnectionOptions,
): Promise<PubsubConnection | typeof NOT_SERVED> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      handshakeTimeout: options.connectTimeoutMs,
      maxPayload: MAX_MESSAGE_BYTES,
    });
    socket.once('unexpected-response', (request) => {
      resolve(NOT_SERVED);
      request.destroy();
    });
    socket.once('open', () => resolve(new PubsubConnection(socket, options)));
    socket.on('error', (error) => reject(serviceError('upstreamUnavailable', {}, error)));
  });
}

/** One WebSocket to a node with its subscriptions. */
export class PubsubConnection {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<PubsubLoss>;
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #routes = new Map<string, Set<OnNotification>>();
  readonly #subscribing = new Set<Promise<Subscribed>>();
  #nextId = 1;
  #loss: PubsubLoss | undefined;
  #answeredMs = -1;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('message', (data) => this.#take(data as Buffer));
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        const error = serviceError(
          'upstreamUnavailable',
          {},
          new Error('the WebSocket of the node was lost'),
        );
        this.#routes.clear();
        for (const { fail, timer } of this.#pending.values()) {
          clearTimeout(timer);
          fail(error);
        }
        this.#pending.clear();
        resolve(this.#loss ?? 'closed');
      });
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /**
   * Subscribes. `take` gets every notification from the reply on, even those in the same packet.
   *
   * @throws ServiceError `upstreamUnavailable` if the connection is lost, `upstreamTimeout`, `upstreamBroken`.
   */
  subscribe(method: string, params: string, take: OnNotification): Promise<Subscribed> {
    const asked = this.#call<Subscribed>(method, params, (reply) => {
      if (reply.kind === 'error') return { kind: 'refused', error: reply.error };
      const id = reply.result.toString();
      const takers = this.#routes.get(id) ?? new Set();
      this.#routes.set(id, takers.add(take));
      return { kind: 'subscribed', id };
    });
    this.#subscribing.add(asked);
    const settled = (): void => void this.#subscribing.delete(asked);
    asked.then(settled, settled);
    return asked;
  }

  /** Ends a subscription once it has no takers left; the node's reply is ignored. */
  unsubscribe(method: string, id: string, take: OnNotification): void {
    if (this.forget(id, take)) void this.#release(method, id);
  }

  /**
   * Nodes give the same id to equivalent calls: a subscription is not ended before pending calls are answered, nor if one of
   * them got its id.
   */
  async #release(method: string, id: string): Promise<void> {
    await Promise.allSettled([...this.#subscribing]);
    if (this.#routes.has(id) || !this.isOpen) return;
    this.#call(method, `[${id}]`, () => undefined).catch(() => undefined);
  }

  /** Removes a taker. @returns true if it was the last one of a subscription that the node knows. */
  forget(id: string, take: OnNotification): boolean {
    const takers = this.#routes.get(id);
    if (takers === undefined || !takers.delete(take) || takers.size > 0) return false;
    return this.#routes.delete(id);
  }

  /** True if the node has answered a call since `sinceMs`, or answers one now: within a quarter of the time that calls have. */
  async isAnswering(sinceMs: number): Promise<boolean> {
    if (this.#answeredMs >= sinceMs) return true;
    const asked = this.#call('slotUnsubscribe', NO_SUBSCRIPTION, () => true, this.#options.callTimeoutMs / 4);
    return await asked.catch(() => false);
  }

  ping(): void {
    if (this.isOpen) this.#socket.ping();
  }

  /** Cuts the connection; the first reason counts. */
  end(loss: PubsubLoss): void {
    this.#loss ??= loss;
    this.#socket.terminate();
  }

  #call<T>(
    method: string,
    params: string,
    read: (reply: Reply) => T,
    limitMs = this.#options.callTimeoutMs,
  ): Promise<T> {
    const id = String(this.#nextId++);
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(serviceError('upstreamUnavailable'));
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(serviceError('upstreamTimeout', { limitMs }));
      }, limitMs);
      this.#pending.set(id, { method, take: (reply) => resolve(read(reply)), fail: reject, timer });
      this.#socket.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
    });
  }

  #take(bytes: Buffer): void {
    const message = readPubsubMessage(bytes);
    if (message === undefined) {
      this.end('garbage');
    } else if (message.kind === 'notification') {
      this.#options.onMessage?.('notification', message.method, bytes);
      this.#notify(message.subscription, message.result);
    } else {
      this.#takeReply(message, bytes);
    }
  }

  /** A notification that cannot be read ends the connection, not the process. */
  #notify(subscription: string, result: Buffer): void {
    try {
      for (const take of this.#routes.get(subscription) ?? []) take(result);
    } catch (error) {
      this.#options.onFailure(error);
      this.end('garbage');
    }
  }

  #takeReply(message: Reply, bytes: Buffer): void {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    this.#pending.delete(message.id);
    clearTimeout(pending.timer);
    this.#answeredMs = performance.now();
    this.#options.onMessage?.('reply', pending.method, bytes);
    pending.take(message);
  }
}
