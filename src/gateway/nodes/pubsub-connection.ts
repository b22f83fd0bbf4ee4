import { WebSocket } from 'ws';
import { SUBSCRIPTIONS, type SubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import { startDeadline } from '../../core/deadline.ts';
import { ServiceError, serviceError } from '../../core/service-error.ts';
import { within } from './pool/within.ts';
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

export type ConnectionOptions = PubsubOptions & {
  /** Milliseconds after which a subscribe call is sent once more; it fails a quarter later, unless the node answers other calls. */
  readonly patienceMs: number;
  /** Observes every message before it is handled. */
  readonly onMessage: OnMessage | undefined;
};

type Reply = Exclude<PubsubMessage, { readonly kind: 'notification' }>;
type Pending = {
  readonly method: string;
  readonly take: (reply: Reply) => void;
  readonly fail: (error: ServiceError) => void;
  readonly endWait: () => void;
};

/** A pending subscribe call, sent once or twice. */
type Subscribing = { readonly unsubscribe: string; readonly fail: (error: ServiceError) => void };

/** Most unanswered calls that are remembered, so that a subscription opened by a late answer is ended. */
const MAX_UNANSWERED = 1_000;
/** Params with an id that no node gives. */
const NO_SUBSCRIPTION = `[${Number.MAX_SAFE_INTEGER}]`;
/** One WebSocket to a node with its subscriptions. */
export class PubsubConnection {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<PubsubLoss>;
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #routes = new Map<string, Set<OnNotification>>();
  readonly #subscribing = new Map<Promise<Subscribed>, Subscribing>();
  /** Handlers of late answers to subscribe calls. */
  readonly #unanswered = new Map<string, (reply: Reply) => void>();
  /** When the node has last answered a call of each method. */
  readonly #answeredMs = new Map<string, number>();
  #nextId = 1;
  #loss: PubsubLoss | undefined;

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
        for (const { fail, endWait } of this.#pending.values()) {
          endWait();
          fail(error);
        }
        this.#pending.clear();
        for (const { fail } of this.#subscribing.values()) fail(error);
        resolve(this.#loss ?? 'closed');
      });
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /**
   * Subscribes. A call without an answer is sent once more: a node that hung may have dropped it. The first answer counts, and a
   * second subscription is ended. `take` gets every notification from the reply on, even those in the same packet.
   * A node that answers calls to `sign` meanwhile, or any call if that is undefined, is only slow: it gets the full call timeout.
   *
   * @throws ServiceError `upstreamUnavailable` if the connection is lost, `upstreamTimeout`, `upstreamBroken`.
   */
  subscribe(
    name: SubscriptionName,
    params: string,
    take: OnNotification,
    sign: SubscriptionName | undefined,
  ): Promise<Subscribed> {
    const { patienceMs } = this.#options;
    const askedMs = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<Subscribed>();
    let isSettled = false;
    const settle = (reply: Reply): void => {
      const isFirst = !isSettled;
      isSettled = true;
      if (reply.kind === 'error') {
        resolve({ kind: 'refused', error: reply.error });
        return;
      }
      const id = reply.result.toString();
      if (isFirst) {
        this.#routes.set(id, (this.#routes.get(id) ?? new Set()).add(take));
        resolve({ kind: 'subscribed', id });
      } else void this.#release(SUBSCRIPTIONS[name].unsubscribe, id);
    };
    const ask = (limitMs: number): Promise<void> =>
      this.#call(name, params, settle, { limitMs, late: settle });
    ask(patienceMs)
      .catch((error: unknown) => {
        if (!isUnanswered(error) || !this.isOpen) throw error;
        // An answer to another call shows that the node does not hang, but has no answer for this subscription.
        const limitMs = patienceMs / 4;
        this.#call('slotUnsubscribe', NO_SUBSCRIPTION, () => undefined, { limitMs }).catch(() => undefined);
        return ask(limitMs);
      })
      .catch((error: unknown) => {
        if (!isUnanswered(error) || !this.hasAnswered(askedMs, sign)) throw error;
        const leftMs = Math.max(0, this.#options.callTimeoutMs - (performance.now() - askedMs));
        return within(promise, leftMs).then(() => {
          throw error;
        });
      })
      .catch((error: unknown) => {
        isSettled = true;
        reject(error);
      });
    this.#subscribing.set(promise, { unsubscribe: SUBSCRIPTIONS[name].unsubscribe, fail: reject });
    const settled = (): void => void this.#subscribing.delete(promise);
    promise.then(settled, settled);
    return promise;
  }

  /** Ends a subscription once it has no takers left; the node's reply is ignored. */
  unsubscribe(method: string, id: string, take: OnNotification): void {
    if (this.forget(id, take)) void this.#release(method, id);
  }

  /**
   * Nodes give the same id to equivalent calls: a subscription stays while calls of its kind are pending, or if one of them got its
   * id.
   */
  async #release(method: string, id: string): Promise<void> {
    for (let like = this.#like(method); like.length > 0; like = this.#like(method))
      await Promise.allSettled(like);
    if (this.#routes.has(id) || !this.isOpen) return;
    const { callTimeoutMs: limitMs } = this.#options;
    this.#call(method, `[${id}]`, () => undefined, { limitMs }).catch(() => undefined);
  }

  /** The pending calls whose subscriptions are ended by a method. */
  #like(method: string): readonly Promise<Subscribed>[] {
    const pending = [...this.#subscribing].filter(([, { unsubscribe }]) => unsubscribe === method);
    return pending.map(([subscribed]) => subscribed);
  }

  /** Removes a taker. @returns true if it was the last one of a subscription that the node knows. */
  forget(id: string, take: OnNotification): boolean {
    const takers = this.#routes.get(id);
    if (takers === undefined || !takers.delete(take) || takers.size > 0) return false;
    return this.#routes.delete(id);
  }

  /** True if the node has answered a call since `sinceMs`, of this method if one is named. */
  hasAnswered(sinceMs: number, method?: string): boolean {
    if (method !== undefined) return (this.#answeredMs.get(method) ?? -1) >= sinceMs;
    return Math.max(-1, ...this.#answeredMs.values()) >= sinceMs;
  }

  ping(): void {
    if (this.isOpen) this.#socket.ping();
  }

  /** Cuts the connection; the first reason counts. */
  end(loss: PubsubLoss): void {
    this.#loss ??= loss;
    this.#socket.terminate();
  }

  /** `late` takes an answer that comes after the limit. */
  #call(
    method: string,
    params: string,
    take: (reply: Reply) => void,
    { limitMs, late }: { readonly limitMs: number; readonly late?: (reply: Reply) => void },
  ): Promise<void> {
    const id = String(this.#nextId++);
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(serviceError('upstreamUnavailable'));
      const endWait = startDeadline(limitMs, () => {
        this.#pending.delete(id);
        if (late !== undefined) this.#remember(id, late);
        reject(serviceError('upstreamTimeout', { limitMs }));
      });
      const settle = (reply: Reply): void => {
        take(reply);
        resolve();
      };
      this.#pending.set(id, { method, take: settle, fail: reject, endWait });
      this.#socket.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
    });
  }

  #remember(id: string, late: (reply: Reply) => void): void {
    this.#unanswered.set(id, late);
    const [oldest] = this.#unanswered.keys();
    if (this.#unanswered.size > MAX_UNANSWERED && oldest !== undefined) this.#unanswered.delete(oldest);
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
    if (pending === undefined) {
      this.#unanswered.get(message.id)?.(message);
      this.#unanswered.delete(message.id);
      return;
    }
    this.#pending.delete(message.id);
    pending.endWait();
    this.#answeredMs.set(pending.method, performance.now());
    this.#options.onMessage?.('reply', pending.method, bytes);
    pending.take(message);
  }
}

/** True for the error of a call that got no answer in time. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'upstreamTimeout';
}
