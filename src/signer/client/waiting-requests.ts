import type { PendingRequest } from './pending-request.ts';

/** Requests that wait for the signer, in one line for each account. The accounts take turns. */
export class WaitingRequests {
  readonly #lines = new Map<string, PendingRequest[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(pending: PendingRequest): void {
    this.#lineOf(pending).push(pending);
    this.#size += 1;
  }

  /** Puts requests before all others, in their order. */
  putFirst(requests: readonly PendingRequest[]): void {
    const later = [...this.#lines];
    this.#lines.clear();
    for (const pending of requests) this.#lineOf(pending).push(pending);
    for (const [accountId, line] of later)
      this.#lines.set(accountId, [...(this.#lines.get(accountId) ?? []), ...line]);
    this.#size += requests.length;
  }

  /** Takes the next request that may be sent: of the account whose turn is longest ago, the one that came first. */
  take(maySend: (pending: PendingRequest) => boolean): PendingRequest | undefined {
    for (const [accountId, line] of this.#lines) {
      const [first] = line;
      if (first === undefined || !maySend(first)) continue;
      this.#lines.delete(accountId);
      line.shift();
      if (line.length > 0) this.#lines.set(accountId, line);
      this.#size -= 1;
      return first;
    }
    return undefined;
  }

  /** Takes the newest request of the account that has most of them; undefined if this one has no fewer. */
  takeFromLongest(accountId: string): PendingRequest | undefined {
    let longest = this.#lines.get(accountId) ?? [];
    const ownLength = longest.length;
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    const newest = longest.at(-1);
    if (newest === undefined || longest.length <= ownLength + 1) return undefined;
    this.drop(newest);
    return newest;
  }

  /** Removes a request, if it waits. */
  drop(pending: PendingRequest): void {
    const line = this.#lines.get(pending.accountId);
    const at = line?.indexOf(pending) ?? -1;
    if (line === undefined || at < 0) return;
    line.splice(at, 1);
    this.#size -= 1;
    if (line.length === 0) this.#lines.delete(pending.accountId);
  }

  /** Takes all of them. */
  clear(): readonly PendingRequest[] {
    const all = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#size = 0;
    return all;
  }

  #lineOf({ accountId }: PendingRequest): PendingRequest[] {
    const known = this.#lines.get(accountId);
    if (known !== undefined) return known;
    const line: PendingRequest[] = [];
    this.#lines.set(accountId, line);
    return line;
  }
}
