import type { ServiceError } from '../../core/service-error.ts';

/** The protocol that serves a connection. */
export type ConnectionOwner = {
  /** True while a client waits for work in progress. Such a connection is not closed to make room. */
  readonly isInUse: () => boolean;
  /** Returns any number that changes when work was done for the client. */
  readonly progress: () => number;
  /** Closes the connection to make room for another, with an answer where possible. */
  readonly shed: (reason: ServiceError) => void;
};

/** An open connection and its idle time. */
export class Connection {
  /** Undefined: it counts for no address. */
  addressKey: string | undefined;
  #owner: ConnectionOwner;
  #progress: number;
  #idleSinceMs: number;
  readonly #onTaken: (connection: Connection) => void;

  constructor(
    owner: ConnectionOwner,
    addressKey: string | undefined,
    { nowMs, onTaken }: { readonly nowMs: number; readonly onTaken: (connection: Connection) => void },
  ) {
    this.#owner = owner;
    this.#progress = owner.progress();
    this.#idleSinceMs = nowMs;
    this.addressKey = addressKey;
    this.#onTaken = onTaken;
  }

  get idleSinceMs(): number {
    return this.#idleSinceMs;
  }

  /** Moves the connection to another owner: the protocol was changed. `isOfKey`: an API key opened it, which has its own limits. */
  take(owner: ConnectionOwner, { isOfKey = false }: { readonly isOfKey?: boolean } = {}): void {
    this.#owner = owner;
    this.#progress = owner.progress();
    if (isOfKey) this.#onTaken(this);
  }

  /** Checks for progress since the last look. */
  look(nowMs: number): void {
    const progress = this.#owner.progress();
    if (progress === this.#progress) return;
    this.#progress = progress;
    this.#idleSinceMs = nowMs;
  }

  /** True if no work is in progress, and none was done since the last look. */
  get isIdle(): boolean {
    return !this.#owner.isInUse() && this.#owner.progress() === this.#progress;
  }

  shed(reason: ServiceError): void {
    this.#owner.shed(reason);
  }
}
