import { Counter, Gauge, type Registry } from 'prom-client';
import { type ServiceError, serviceError } from '../../core/service-error.ts';

/** A connection as `LiveSockets` sees it. */
export type LiveSocket = {
  readonly keyId: string;
  readonly accountId: string;
  /** Closes it if its key no longer allows it or nothing has arrived for too long, by `ownMs`; pings it in time. */
  readonly watch: (ownMs: number) => void;
  /** Reads no more calls, and sends a close frame when those in flight are answered. */
  readonly finish: () => void;
  /** Sends a close frame, whatever is in flight. */
  readonly leave: () => void;
  /** Sends a close frame with the reason why others need its room. */
  readonly shed: (reason: ServiceError) => void;
  /** Cuts it. */
  readonly cut: () => void;
};

export type SocketLimits = {
  readonly maxSockets: number;
  readonly maxSocketsPerKey: number;
  readonly maxSubscriptionsPerKey: number;
};

type KeyUse = { sockets: number; subscriptions: number };

/** Interval at which every connection is checked: a key that has ended closes its connections within twice of it. */
const WATCH_MS = 250;
/** Milliseconds that connections may take to answer a close frame. */
const GOODBYE_MS = 1_000;
/** Connections that have made room and were not closed by their clients yet. More are cut without a close frame. */
const MAX_LEAVING = 100;
const RETRY_AFTER_SECONDS = 1;

/**
 * Every open WebSocket of the process: limited, watched, and closed in order at the end. Without room, an account gets a connection of the
 * account that has most, as long as that one has more.
 */
export class LiveSockets {
  readonly #limits: SocketLimits;
  readonly #metrics: SocketMetrics;
  readonly #sockets = new Set<LiveSocket>();
  readonly #keys = new Map<string, KeyUse>();
  /** The connections of each account, the oldest first. */
  readonly #accounts = new Map<string, Set<LiveSocket>>();
  /** Those that have made room: they are in no account. */
  readonly #leaving = new Set<LiveSocket>();
  readonly #timer: NodeJS.Timeout;
  /** This process's own time at its last look, and when that was. */
  #own = { ms: 0, atMs: performance.now() };
  #onEmpty: () => void = () => undefined;
  #drained: Promise<void> | undefined;

  constructor(limits: SocketLimits, metrics: SocketMetrics) {
    this.#limits = limits;
    this.#metrics = metrics;
    metrics.watchSockets(() => this.#sockets.size);
    this.#timer = setInterval(() => this.#watch(), WATCH_MS).unref();
  }

  get isDraining(): boolean {
    return this.#drained !== undefined;
  }

  /**
   * Milliseconds that this process was running. A delayed check counts as one interval, since messages that clients sent meanwhile are read
   * after it.
   */
  get ownMs(): number {
    return this.#own.ms + Math.min(performance.now() - this.#own.atMs, WATCH_MS);
  }

  /**
   * Checks that an account may have one more connection, with this key.
   *
   * @throws ServiceError `serverSocketsFull`, `tooManySockets`.
   */
  assertRoom({ keyId, accountId }: Pick<LiveSocket, 'keyId' | 'accountId'>): void {
    const { maxSockets, maxSocketsPerKey } = this.#limits;
    const afterwards = this.#ofAccount(accountId).size + 1;
    if (this.#size >= maxSockets && this.#most().size <= afterwards)
      throw serviceError('serverSocketsFull', { limit: maxSockets });
    const value = this.#keys.get(keyId)?.sockets ?? 0;
    if (value >= maxSocketsPerKey) throw serviceError('tooManySockets', { limit: maxSocketsPerKey, value });
  }

  add(socket: LiveSocket): void {
    const { keyId, accountId } = socket;
    this.#sockets.add(socket);
    this.#useOf(keyId).sockets++;
    this.#accounts.set(accountId, this.#ofAccount(accountId).add(socket));
    if (this.#size > this.#limits.maxSockets) this.#makeRoom();
  }

  /** Call it when a connection has ended, with the reason. */
  remove(socket: LiveSocket, reason: string): void {
    if (!this.#sockets.delete(socket)) return;
    this.#metrics.countClose(reason);
    this.#leaveAccount(socket);
    this.#leaving.delete(socket);
    this.#useOf(socket.keyId).sockets--;
    this.#dropIfUnused(socket.keyId);
    if (this.#sockets.size === 0) this.#onEmpty();
  }

  /** @throws ServiceError `subscriptionLimitReached` if a key is at its limit of subscriptions. */
  reserveSubscription(keyId: string): void {
    const limit = this.#limits.maxSubscriptionsPerKey;
    const use = this.#useOf(keyId);
    if (use.subscriptions >= limit) {
      const remedy =
        'unsubscribe from some on any of its connections, or raise websocket.max_subscriptions_per_key';
      throw serviceError('subscriptionLimitReached', {
        scope: 'API key',
        limit,
        value: use.subscriptions,
        remedy,
      });
    }
    use.subscriptions++;
  }

  releaseSubscription(keyId: string): void {
    this.#useOf(keyId).subscriptions--;
    this.#dropIfUnused(keyId);
  }

  /** Gives calls in flight `deadlineMs` to be answered, sends close frames, and cuts connections that do not answer them. */
  drain(deadlineMs: number): Promise<void> {
    this.#drained ??= this.#drain(deadlineMs);
    return this.#drained;
  }

  async #drain(deadlineMs: number): Promise<void> {
    for (const socket of [...this.#sockets]) socket.finish();
    await this.#waitUntilEmpty(deadlineMs);
    for (const socket of [...this.#sockets]) socket.leave();
    await this.#waitUntilEmpty(GOODBYE_MS);
    for (const socket of [...this.#sockets]) socket.cut();
    clearInterval(this.#timer);
  }

  #waitUntilEmpty(limitMs: number): Promise<void> {
    if (this.#sockets.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Connections that count: those that have made room are about to end. */
  get #size(): number {
    return this.#sockets.size - this.#leaving.size;
  }

  #ofAccount(accountId: string): Set<LiveSocket> {
    return this.#accounts.get(accountId) ?? new Set();
  }

  /** The connections of the account that has most. */
  #most(): ReadonlySet<LiveSocket> {
    let most: ReadonlySet<LiveSocket> = new Set();
    for (const each of this.#accounts.values()) if (each.size > most.size) most = each;
    return most;
  }

  /** Ends the connection that is open longest of the account that has most. */
  #makeRoom(): void {
    const limit = this.#limits.maxSockets;
    const reason = { scope: 'server', limit, retryAfterSeconds: RETRY_AFTER_SECONDS };
    for (const socket of this.#most()) {
      this.#leaveAccount(socket);
      if (this.#leaving.size < MAX_LEAVING) socket.shed(serviceError('connectionsFull', reason));
      else socket.cut();
      this.#leaving.add(socket);
      return;
    }
  }

  #leaveAccount(socket: LiveSocket): void {
    const own = this.#ofAccount(socket.accountId);
    own.delete(socket);
    if (own.size === 0) this.#accounts.delete(socket.accountId);
  }

  #watch(): void {
    this.#own = { ms: this.ownMs, atMs: performance.now() };
    for (const socket of this.#sockets) socket.watch(this.#own.ms);
  }

  #useOf(keyId: string): KeyUse {
    const known = this.#keys.get(keyId);
    if (known !== undefined) return known;
    const use = { sockets: 0, subscriptions: 0 };
    this.#keys.set(keyId, use);
    return use;
  }

  #dropIfUnused(keyId: string): void {
    const use = this.#keys.get(keyId);
    if (use?.sockets === 0 && use.subscriptions === 0) this.#keys.delete(keyId);
  }
}

/** Metrics of WebSocket connections and their notifications. */
export type SocketMetrics = {
  /** Reads the number of open connections at each scrape. */
  readonly watchSockets: (read: () => number) => void;
  /** Counts a connection that has ended, by the error that ended it, or `client`, `lost`, `protocol`. */
  readonly countClose: (reason: string) => void;
  /** Counts a notification to a slow reader that was replaced by a later one. */
  readonly countReplaced: () => void;
};

/** Adds the metrics of WebSocket connections to a registry. */
export function createSocketMetrics(registry: Registry): SocketMetrics {
  const registers = [registry];
  const closes = new Counter({
    name: 'keyslot_ws_closes_total',
    help: 'WebSocket connections that have ended, by reason',
    labelNames: ['reason'] as const,
    registers,
  });
  const replaced = new Counter({
    name: 'keyslot_ws_replaced_total',
    help: 'Notifications to slow readers that a later one of the same subscription replaced',
    registers,
  });
  return {
    watchSockets: (read) => {
      new Gauge({
        name: 'keyslot_ws_sockets',
        help: 'Open WebSocket connections',
        registers,
        collect() {
          this.set(read());
        },
      });
    },
    countClose: (reason) => closes.inc({ reason }),
    countReplaced: () => replaced.inc(),
  };
}
