import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { DecodedTransaction } from '../core/wire/message.ts';

export type LandingQueueOptions = {
  /** Time before a transaction lands; 0: at once. */
  readonly delayMs: number;
  readonly land: (transaction: DecodedTransaction) => void;
  /** Called with the error when a fault of the ledger loses a transaction. */
  readonly onFailure: (error: unknown) => void;
};

type Waiting = { readonly transaction: DecodedTransaction; readonly dueMs: number };

/** With this many pending transactions the oldest lands early: later ones wait for it, and memory stays bounded. */
const MAX_WAITING = 2_000;
/** Transactions land one after the other for this long before other work gets its turn. */
const TURN_MS = 5;

/**
 * Pending transactions: each lands a moment after it was sent, in order, as at a node. So its sender can still subscribe to its effects,
 * and at first finds no status of it, as clients expect.
 */
export class LandingQueue {
  readonly #options: LandingQueueOptions;
  /** By signature, in order of arrival. A transaction with the first signature of another may be a damaged copy of it. */
  readonly #waiting = new Map<string, Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LandingQueueOptions) {
    this.#options = options;
  }

  /** Queues a transaction; one that is pending already is not queued twice. */
  add(transaction: DecodedTransaction): void {
    const { delayMs } = this.#options;
    if (delayMs === 0) {
      this.#land(transaction);
      return;
    }
    const key = keyOf(transaction);
    if (this.#waiting.has(key)) return;
    this.#waiting.set(key, { transaction, dueMs: performance.now() + delayMs });
    if (this.#waiting.size > MAX_WAITING) this.#landOldest();
    this.#timer ??= setTimeout(this.#run, delayMs);
  }

  /** True when the transaction is pending. */
  has(transaction: DecodedTransaction): boolean {
    return this.#waiting.has(keyOf(transaction));
  }

  /** Number of transactions that are pending. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Lands the transactions that are pending now, without their delay; those for which `withinMs` is too short stay pending. */
  async flush(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    const endMs = performance.now() + withinMs;
    let begunMs = performance.now();
    for (const key of [...this.#waiting.keys()]) {
      if (performance.now() - begunMs > TURN_MS) {
        await turnOfOthers();
        begunMs = performance.now();
      }
      if (performance.now() >= endMs) return;
      if (this.#waiting.has(key)) this.#landOldest();
    }
  }

  /** Drops all pending transactions. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
  }

  readonly #run = (): void => {
    this.#timer = undefined;
    const begunMs = performance.now();
    for (const { dueMs } of this.#waiting.values()) {
      const nowMs = performance.now();
      if (dueMs > nowMs || nowMs - begunMs > TURN_MS) {
        this.#timer = setTimeout(this.#run, Math.max(0, dueMs - nowMs));
        return;
      }
      this.#landOldest();
    }
  };

  #landOldest(): void {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return;
    const [key, { transaction }] = oldest;
    this.#waiting.delete(key);
    try {
      this.#land(transaction);
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  #land(transaction: DecodedTransaction): void {
    this.#options.land(transaction);
  }
}

function keyOf({ signatures }: DecodedTransaction): string {
  return signatures.join(' ');
}
