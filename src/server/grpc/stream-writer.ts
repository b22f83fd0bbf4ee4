/** The most that may be queued for the client of a stream, plus one message, however large. */
export type UnreadLimits = { readonly maxBytes: number; readonly maxMessages: number };

/** The part of a call that sends. */
export type Sends = {
  readonly write: (message: Uint8Array, done: (error?: Error | null) => void) => unknown;
};

/** Tracks the bytes that were written to a connection and have not been sent: grpc-js itself counts messages, not their bytes. */
export class StreamWriter {
  readonly #call: Sends;
  readonly #limits: UnreadLimits;
  #bytes = 0;
  #messages = 0;
  #failure: Error | undefined;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(call: Sends, limits: UnreadLimits) {
    this.#call = call;
    this.#limits = limits;
  }

  /** Bytes that have not been sent. */
  get unreadBytes(): number {
    return this.#bytes;
  }

  /** True if another message may be written. */
  get hasRoom(): boolean {
    return this.#bytes < this.#limits.maxBytes && this.#messages < this.#limits.maxMessages;
  }

  /** Resolves when there is room again; rejects with the error passed to `fail`. */
  room(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#waiting ??= Promise.withResolvers<void>();
    return this.#waiting.promise;
  }

  write(message: Uint8Array): void {
    this.#bytes += message.length;
    this.#messages++;
    this.#call.write(message, () => {
      this.#bytes -= message.length;
      this.#messages--;
      if (!this.hasRoom) return;
      this.#waiting?.resolve();
      this.#waiting = undefined;
    });
  }

  /** Stops all writing. */
  fail(error: Error): void {
    this.#failure = error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
