type Listener = (reason: Error) => void;

/**
 * Says that nobody waits for a call any more. It is what an AbortSignal is, at a tenth of its cost: every request has one, and
 * every call of it another.
 */
export class CallSignal {
  #reason: Error | undefined;
  /** Most signals are listened to by one call; only those of a batch need the list. */
  #first: Listener | undefined;
  #others: Set<Listener> | undefined;

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
  onAbort(listener: Listener): () => void {
    if (this.#first === undefined) {
      this.#first = listener;
    } else {
      this.#others ??= new Set();
      this.#others.add(listener);
    }
    return () => {
      if (this.#first === listener) this.#first = undefined;
      else this.#others?.delete(listener);
    };
  }

  /** Gives the call up; only the first reason counts. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#first?.(reason);
    for (const listener of this.#others ?? []) listener(reason);
    this.#first = undefined;
    this.#others = undefined;
  }
}
