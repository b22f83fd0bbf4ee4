import { serviceError } from '../service-error.ts';

/** The memory that one request holds for replies that are not streamed. */
export type MemoryLease = {
  /**
   * Reserves bytes; a refused reservation reserves nothing.
   *
   * @throws ServiceError `replyTooLarge` above the limit of one request; `replyMemoryFull` while other requests hold the rest.
   */
  readonly reserve: (sizeBytes: number) => void;
  /** Reserves bytes if there is room. @returns true if it did. */
  readonly tryDraw: (sizeBytes: number) => boolean;
  /**
   * The answer is being sent from now on. If others need the memory before it is released, it is released, and `end` is called, which
   * breaks the answer off.
   */
  readonly deliver: (end: () => void) => void;
  /** Releases everything, once the answer has been sent; from then on reserving has no effect. */
  readonly release: () => void;
};

/**
 * The memory of a process for replies that are not streamed: those of a batch, those whose id must be restored, and large
 * cached ones, which a slow client keeps alive after the cache has evicted them.
 */
export type ReplyMemory = {
  readonly limitBytes: number;
  readonly heldBytes: () => number;
  /** `accountId`: shares the memory with other accounts; absent: it may have all of it. */
  readonly hold: (accountId?: string) => MemoryLease;
};

export type ReplyMemoryOptions = {
  readonly nowMs?: () => number;
  /** Called for each answer that was broken off because others needed its memory. */
  readonly onEnded?: () => void;
};

/** Time that an answer may take before others can end it. */
const DELIVERY_MS = 5_000;

/**
 * Creates the memory: `limitBytes` for all requests together, `requestLimitBytes` for each. An account may hold as much as it leaves free,
 * so that there is always room for another one. A request without room ends the answer that has been in transit longest, for at least five
 * seconds, of the account that holds most: its own, or one that holds more than it would.
 */
export function createReplyMemory(
  limitBytes: number,
  requestLimitBytes: number,
  options: ReplyMemoryOptions = {},
): ReplyMemory {
  const pool = new Pool(limitBytes, requestLimitBytes, options);
  return { limitBytes, heldBytes: () => pool.heldBytes, hold: (accountId) => new Lease(pool, accountId) };
}

class Pool {
  readonly requestLimitBytes: number;
  readonly nowMs: () => number;
  readonly #limitBytes: number;
  readonly #onEnded: () => void;
  readonly #bytesOf = new Map<string, number>();
  /** The answers in transit, the oldest first. */
  readonly #delivered = new Set<Lease>();
  heldBytes = 0;

  constructor(limitBytes: number, requestLimitBytes: number, options: ReplyMemoryOptions) {
    this.#limitBytes = limitBytes;
    this.requestLimitBytes = requestLimitBytes;
    this.nowMs = options.nowMs ?? (() => performance.now());
    this.#onEnded = options.onEnded ?? (() => undefined);
  }

  isFull(accountId: string | undefined, sizeBytes: number): boolean {
    const leftBytes = this.#limitBytes - this.heldBytes - sizeBytes;
    if (leftBytes < 0 || accountId === undefined) return leftBytes < 0;
    return this.#bytesHeldBy(accountId) + sizeBytes > leftBytes;
  }

  add(accountId: string | undefined, sizeBytes: number): void {
    this.heldBytes += sizeBytes;
    if (accountId === undefined) return;
    const bytes = this.#bytesHeldBy(accountId) + sizeBytes;
    if (bytes === 0) this.#bytesOf.delete(accountId);
    else this.#bytesOf.set(accountId, bytes);
  }

  deliver(lease: Lease): void {
    this.#delivered.add(lease);
  }

  forget(lease: Lease): void {
    this.#delivered.delete(lease);
  }

  /** Ends an answer to make room for a request. @returns false if no answer can be ended. */
  makeRoom(accountId: string | undefined, sizeBytes: number): boolean {
    let [holder, mostBytes] = [accountId, this.#bytesHeldBy(accountId) + sizeBytes];
    for (const [each, bytes] of this.#bytesOf) if (bytes > mostBytes) [holder, mostBytes] = [each, bytes];
    const latestMs = this.nowMs() - DELIVERY_MS;
    for (const lease of this.#delivered) {
      if (lease.deliveredAtMs > latestMs) return false;
      if (lease.accountId !== holder) continue;
      lease.breakOff();
      this.#onEnded();
      return true;
    }
    return false;
  }

  #bytesHeldBy(accountId: string | undefined): number {
    return accountId === undefined ? 0 : (this.#bytesOf.get(accountId) ?? 0);
  }
}

class Lease implements MemoryLease {
  readonly #pool: Pool;
  readonly accountId: string | undefined;
  #bytes = 0;
  #isReleased = false;
  #end: (() => void) | undefined;
  deliveredAtMs = 0;

  constructor(pool: Pool, accountId: string | undefined) {
    this.#pool = pool;
    this.accountId = accountId;
  }

  reserve(sizeBytes: number): void {
    if (this.#isReleased || sizeBytes === 0) return;
    const { requestLimitBytes: limit } = this.#pool;
    if (this.#bytes + sizeBytes > limit) throw serviceError('replyTooLarge', { limit });
    while (this.#pool.isFull(this.accountId, sizeBytes))
      if (!this.#pool.makeRoom(this.accountId, sizeBytes)) throw serviceError('replyMemoryFull');
    this.#take(sizeBytes);
  }

  tryDraw(sizeBytes: number): boolean {
    if (this.#isReleased || sizeBytes === 0) return true;
    if (this.#bytes + sizeBytes > this.#pool.requestLimitBytes) return false;
    if (this.#pool.isFull(this.accountId, sizeBytes)) return false;
    this.#take(sizeBytes);
    return true;
  }

  deliver(end: () => void): void {
    if (this.#isReleased || this.#bytes === 0 || this.accountId === undefined) return;
    this.deliveredAtMs = this.#pool.nowMs();
    this.#end = end;
    this.#pool.deliver(this);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    if (this.#bytes === 0) return;
    if (this.#end !== undefined) this.#pool.forget(this);
    this.#pool.add(this.accountId, -this.#bytes);
  }

  breakOff(): void {
    const end = this.#end;
    this.release();
    end?.();
  }

  #take(sizeBytes: number): void {
    this.#bytes += sizeBytes;
    this.#pool.add(this.accountId, sizeBytes);
  }
}
