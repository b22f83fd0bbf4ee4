type Listener = (reason: Error) => void;

/**
 * Signals that the result of a call is no longer needed. It does what an AbortSignal does at a tenth of the cost: every request has one,
 * and so has every call in it.
 */
export class CallSignal {
  #reason: Error | undefined;
  /** Most signals have one listener; only those of a batch need the list. */
  #first: Listener | undefined;
  #others: Set<Listener> | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** The reason for the abort; undefined before it. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** Calls `listener` once when the call is aborted later. @returns a function that removes the listener. */
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

  /** Aborts the call; only the first reason counts. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#first?.(reason);
    for (const listener of this.#others ?? []) listener(reason);
    this.#first = undefined;
    this.#others = undefined;
  }
}
