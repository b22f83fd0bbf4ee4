import { LRUCache } from 'lru-cache';
import type { CallSignal } from '../../../core/rpc/call-signal.ts';

/** A subscription at the node, as its load is seen. */
type Loaded = {
  /** Rises with each new subscription. */
  readonly id: number;
  readonly subscribers: ReadonlySet<{ readonly accountId: string }>;
};

const WINDOW_MS = 1_000;
/**
 * Most bytes of results in a second before an account gives way. A node closes a connection that has too much unread, an embedded ledger one
 * with 64 MiB: everybody's subscriptions share that connection.
 */
const MAX_BYTES = 16 * 1024 * 1024;
/** Smaller results are not weighed. */
const LEAST_BYTES = 16 * 1024;

/**
 * Weighs the subscriptions of one connection to a node by the bytes of their results. An account may have its largest, and beyond that as
 * much as the others leave free.
 */
export class NodeLoad<S extends Loaded> {
  /** The bytes of each subscription in this window. */
  readonly #bytes = new Map<S, number>();
  #total = 0;
  #startMs = 0;

  /** Takes the size of a result. @returns the subscriptions that are to be paused. */
  weigh(shared: S, sizeBytes: number, nowMs: number): readonly S[] {
    if (nowMs - this.#startMs >= WINDOW_MS) this.#begin(nowMs);
    if (sizeBytes < LEAST_BYTES || shared.subscribers.size === 0) return [];
    this.#bytes.set(shared, (this.#bytes.get(shared) ?? 0) + sizeBytes);
    this.#total += sizeBytes;
    const paused: S[] = [];
    while (this.#total > MAX_BYTES) {
      const next = this.#nextToPause();
      if (next === undefined) break;
      this.forget(next);
      paused.push(next);
    }
    return paused;
  }

  /** Forgets a subscription that the node no longer has. */
  forget(shared: S): void {
    this.#total -= this.#bytes.get(shared) ?? 0;
    this.#bytes.delete(shared);
  }

  #begin(nowMs: number): void {
    this.#bytes.clear();
    this.#total = 0;
    this.#startMs = nowMs;
  }

  /** Of the account that is furthest above its share: what it shares with the fewest, the newest first. */
  #nextToPause(): S | undefined {
    const held = new Map<string, { bytes: number; largest: number; all: { shared: S; sharers: number }[] }>();
    for (const [shared, bytes] of this.#bytes) {
      const accounts = new Set([...shared.subscribers].map(({ accountId }) => accountId));
      for (const accountId of accounts) {
        const own = held.get(accountId) ?? { bytes: 0, largest: 0, all: [] };
        held.set(accountId, own);
        own.bytes += bytes / accounts.size;
        own.largest = Math.max(own.largest, bytes / accounts.size);
        own.all.push({ shared, sharers: accounts.size });
      }
    }
    const [most] = [...held.values()]
      .filter(({ bytes, largest }) => bytes - largest > MAX_BYTES / held.size)
      .sort((left, right) => right.bytes - left.bytes);
    const [first] = (most?.all ?? []).sort(
      (left, right) => left.sharers - right.sharers || right.shared.id - left.shared.id,
    );
    return first?.shared;
  }
}

/** Most new subscriptions that an account opens at once, and the time in which it may open as many more. */
const OPENED_AT_ONCE = 64;
const REFILL_MS = 200;
const EACH_MS = REFILL_MS / OPENED_AT_ONCE;
const MAX_ACCOUNTS = 10_000;

/**
 * Lets the new subscriptions of an account go to the node a few at a time: how large the results of one are is known when the first has come,
 * and those of hundreds may be more than the connection takes.
 */
export class Openings {
  /** The time by which the turns that an account has taken are made up for. */
  readonly #freeAtMs = new LRUCache<string, number>({ max: MAX_ACCOUNTS });

  /** Resolves when an account may open one more. @throws the reason of the signal. */
  async turn(accountId: string, signal: CallSignal): Promise<void> {
    const nowMs = performance.now();
    const freeAtMs = Math.max(this.#freeAtMs.get(accountId) ?? 0, nowMs) + EACH_MS;
    this.#freeAtMs.set(accountId, freeAtMs);
    const waitMs = freeAtMs - nowMs - REFILL_MS;
    if (waitMs <= 0) return;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    signal.throwIfAborted();
  }
}
