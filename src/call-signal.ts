/**
 * Says that nobody waits for a call any more. It is what an AbortSignal is, at a tenth of its cost: every request has one, and
 * every call of it another.
 */
export class CallSignal {
  #reason: Error | undefined;
  readonly #listeners = new Set<(reason: Error) => void>();

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** Why the call was given up; undefined while it was not. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** Calls `listener` once when the call is given up from now on. @returns what takes it back. */
  onAbort(listener: (reason: Error) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Gives the call up; only the first reason counts. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners) listener(reason);
    this.#listeners.clear();
  }
}
