import { type ServiceError, serviceError } from '../base/service-error.ts';
import type { Entry } from './entry.ts';
import type { History } from './history.ts';
import { changed } from './next-blocks.ts';

export type CursorOptions = {
  readonly history: History;
  /** Everything up to this slot is done. */
  readonly position: bigint;
  /** Number of new blocks that may arrive while the reader takes none. */
  readonly maxLagSlots: () => number;
  /** Maximum distance of the position from the newest block, where it is after that. */
  readonly maxAheadSlots: () => number;
  /** Reads the block after a slot that `history` no longer has, from the ledger node. */
  readonly refill: (position: bigint) => Promise<Entry>;
  readonly onClose: () => void;
};

/**
 * The position of one stream in the blocks of a network. It holds no block: a slow reader costs nothing here, and is closed when it falls
 * too far behind.
 */
export class Cursor {
  readonly #options: CursorOptions;
  #position: bigint;
  /** Of the block at the position, if it was one of this stream: the next one must descend from it, wherever it is read. */
  #blockhash: string | undefined;
  #failure: Error | undefined;
  #onFail: ((error: Error) => void) | undefined;
  /** True once it has reached the newest block: from then on it must keep up with the blocks held in memory. */
  #isLive = false;
  #blocksSinceRead = 0;
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(options: CursorOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** The slot up to which everything was handed out before the last call of `next`. */
  get position(): bigint {
    return this.#position;
  }

  /** Calls `listener` once when the stream cannot go on: ServiceError `streamTooSlow`, `resumeSlotAhead`, `ledgerChanged`, or the error passed to `fail`. */
  whenFailed(listener: (error: Error) => void): void {
    if (this.#failure === undefined) this.#onFail = listener;
    else listener(this.#failure);
  }

  /**
   * Returns the next block as soon as it arrives; the previous one is done then.
   *
   * @throws the error that `whenFailed` reports; ServiceError `resumeSlotGone`, `ledgerChanged`, or the failure of the ledger node.
   */
  async next(): Promise<Entry> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      this.#blocksSinceRead = 0;
      const { history } = this.#options;
      if (this.#position < history.base) return this.#linked(await this.#refill());
      const entry = history.after(this.#position);
      if (entry !== undefined) return this.#linked(entry);
      this.#isLive = true;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Marks a block as completely handed on. */
  done({ block }: Entry): void {
    this.#position = block.slot;
    this.#blockhash = block.blockhash;
  }

  /** Call it when the history has a new block. */
  notice(): void {
    this.#blocksSinceRead++;
    const { history, maxLagSlots, maxAheadSlots } = this.#options;
    const isLeftBehind = this.#isLive && this.#position < history.base;
    if (isLeftBehind || this.#blocksSinceRead > maxLagSlots()) this.fail(this.#tooSlow());
    // While the pace of the network was not known, there was no maximum.
    if (Number(this.#position - history.newest) > maxAheadSlots()) this.fail(this.#tooFarAhead());
    this.#wakeUp();
  }

  /** Ends it; only the first reason counts. */
  fail(error: Error): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#failure = error;
    this.#onFail?.(error);
    this.#wakeUp();
  }

  /** Call it when the stream has ended, for whatever reason. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onClose();
  }

  async #refill(): Promise<Entry> {
    if (this.#isLive) throw this.#tooSlow();
    return await this.#options.refill(this.#position);
  }

  /** Memory, other gateways and nodes may have different forks, which meet where one of them ends. */
  #linked(entry: Entry): Entry {
    const { previousBlockhash } = entry.block;
    if (this.#blockhash === undefined || previousBlockhash === this.#blockhash) return entry;
    throw changed({ slot: this.#position });
  }

  #tooFarAhead(): ServiceError {
    const { newest: newestSlot } = this.#options.history;
    return serviceError('resumeSlotAhead', { slot: this.#position, newestSlot });
  }

  #tooSlow(): ServiceError {
    return serviceError('streamTooSlow', { slot: this.#position });
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
