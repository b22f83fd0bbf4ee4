import type { PendingRequest } from './pending-request.ts';

/** Requests that wait for the signer, in one queue per account. The accounts take turns. */
export class WaitingRequests {
  readonly #queues = new Map<string, PendingRequest[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(pending: PendingRequest): void {
    this.#queueOf(pending).push(pending);
    this.#size += 1;
  }

  /** Puts requests before all others, in their order. */
  putFirst(requests: readonly PendingRequest[]): void {
    const later = [...this.#queues];
    this.#queues.clear();
    for (const pending of requests) this.#queueOf(pending).push(pending);
    for (const [accountId, queue] of later)
      this.#queues.set(accountId, [...(this.#queues.get(accountId) ?? []), ...queue]);
    this.#size += requests.length;
  }

  /** Takes the next request that may be sent: of the account whose turn is longest ago, the one that came first. */
  take(maySend: (pending: PendingRequest) => boolean): PendingRequest | undefined {
    for (const [accountId, queue] of this.#queues) {
      const [first] = queue;
      if (first === undefined || !maySend(first)) continue;
      this.#queues.delete(accountId);
      queue.shift();
      if (queue.length > 0) this.#queues.set(accountId, queue);
      this.#size -= 1;
      return first;
    }
    return undefined;
  }

  /** Takes the newest request of the account with the longest queue; undefined if `accountId` would have as long a one. */
  takeFromLongest(accountId: string): PendingRequest | undefined {
    let longest = this.#queues.get(accountId) ?? [];
    const ownLength = longest.length;
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue;
    const newest = longest.at(-1);
    if (newest === undefined || longest.length <= ownLength + 1) return undefined;
    this.drop(newest);
    return newest;
  }

  /** Removes a request, if it waits. */
  drop(pending: PendingRequest): void {
    const queue = this.#queues.get(pending.accountId);
    const at = queue?.indexOf(pending) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    this.#size -= 1;
    if (queue.length === 0) this.#queues.delete(pending.accountId);
  }

  /** Takes all of them. */
  clear(): readonly PendingRequest[] {
    const all = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#size = 0;
    return all;
  }

  #queueOf({ accountId }: PendingRequest): PendingRequest[] {
    const known = this.#queues.get(accountId);
    if (known !== undefined) return known;
    const queue: PendingRequest[] = [];
    this.#queues.set(accountId, queue);
    return queue;
  }
}
