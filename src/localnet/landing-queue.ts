import type { DecodedTransaction } from '../wire/message.ts';

export type LandingQueueOptions = {
  /** How long a transaction is on its way; 0: it lands at once. */
  readonly delayMs: number;
  readonly land: (transaction: DecodedTransaction) => void;
  /** Told of a transaction that was lost to a fault of the ledger. */
  readonly onFailure: (error: unknown) => void;
};

type Waiting = { readonly transaction: DecodedTransaction; readonly dueMs: number };

/** When so many are on their way the oldest lands early: what is sent then waits for it, and memory stays bounded. */
const MAX_WAITING = 2_000;
/** So long transactions land one after the other before anything else has its turn. */
const TURN_MS = 5;

/**
 * Transactions on their way: each lands a moment after it was sent, in order, as at a node. So whoever sent it can still subscribe
 * to what it does, and finds no status of it at first, as clients expect.
 */
export class LandingQueue {
  readonly #options: LandingQueueOptions;
  /** By their signatures, in the order in which they came. One with the first signature of another may be a damaged copy of it. */
  readonly #waiting = new Map<string, Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LandingQueueOptions) {
    this.#options = options;
  }

  /** Sends a transaction on its way; one that is on it already is not sent twice. */
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

  /** Whether the transaction is on its way. */
  has(transaction: DecodedTransaction): boolean {
    return this.#waiting.has(keyOf(transaction));
  }

  /** Loses all that is on its way. */
  stop(): void {
    clearTimeout(this.#timer);
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
