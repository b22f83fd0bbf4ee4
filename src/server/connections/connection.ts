import type { ServiceError } from '../../base/service-error.ts';

/** Who serves a connection. */
export type ConnectionOwner = {
  /** Whether a client waits for something that is under way. Such a connection is not ended to make room. */
  readonly isInUse: () => boolean;
  /** Any number that changes when something was done for the client. */
  readonly progress: () => number;
  /** Ends the connection to make room for another, with an answer where there can be one. */
  readonly shed: (reason: ServiceError) => void;
};

/** An open connection, and since when nothing was done for its client. */
export class Connection {
  /** Undefined: it is counted for no address. */
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

  /** Has another owner from now on: the protocol was changed. `isOfKey`: an API key opened it, which has bounds of its own. */
  take(owner: ConnectionOwner, { isOfKey = false }: { readonly isOfKey?: boolean } = {}): void {
    this.#owner = owner;
    this.#progress = owner.progress();
    if (isOfKey) this.#onTaken(this);
  }

  /** Sees whether something was done since it was looked at last. */
  look(nowMs: number): void {
    const progress = this.#owner.progress();
    if (progress === this.#progress) return;
    this.#progress = progress;
    this.#idleSinceMs = nowMs;
  }

  /** Whether nothing is under way, and nothing was done since it was looked at last. */
  get isIdle(): boolean {
    return !this.#owner.isInUse() && this.#owner.progress() === this.#progress;
  }

  shed(reason: ServiceError): void {
    this.#owner.shed(reason);
  }
}
