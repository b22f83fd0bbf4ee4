import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { Entry } from './entry.ts';
import { changed } from './next-blocks.ts';
import type { Block } from './block/block.ts';

export type CursorOptions = {
  readonly history: History;
  /** Everything up to this slot is done. */
  readonly position: bigint;
  /** Number of new blocks that may arrive while the reader takes none. */
  readonly maxLagSlots: () => number;
  /** Maximum distance of a position that is ahead of the newest block. */
  readonly maxAheadSlots: () => number;
  /** Reads the block after a slot that `history` no longer has, from the ledger node. */
  readonly refill: (position: bigint) => Promise<Entry>;
  readonly onClose: () => void;
};

/**
 * The position of one stream in the blocks of a network. It holds no block: a slow reader costs nothing here, and is closed when it
 * falls too far behind.
 */
export class Cursor {
  readonly #options: CursorOptions;
  #position: bigint;
  /** The hash of the block at the position, if this stream has read it: the next block must descend from it, whatever its source. */
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

  /** Calls `listener` once when the stream fails: with `streamTooSlow`, `resumeSlotAhead`, `ledgerChanged`, or the error of `fail`. */
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
    // There was no maximum while the pace of the network was unknown.
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

  /** Call it when the stream has ended. */
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

export type HistoryLimits = { readonly maxSlots: number; readonly maxBytes: number };

/**
 * The newest blocks of a network, without gaps: every block after `base` up to `newest`. The oldest are dropped when there are too
 * many or they take too many bytes; the newest one stays whatever its size.
 */
export class History {
  readonly #limits: HistoryLimits;
  #entries: Entry[] = [];
  #base: bigint;
  #sizeBytes = 0;

  /** Begins after a slot. */
  constructor(base: bigint, limits: HistoryLimits) {
    this.#base = base;
    this.#limits = limits;
  }

  /** Every block after this slot is held. */
  get base(): bigint {
    return this.#base;
  }

  /** The newest slot; `base` without a block. */
  get newest(): bigint {
    return this.#entries.at(-1)?.slot ?? this.#base;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Appends the next block. */
  add(block: Block): void {
    const entry = new Entry(block, (sizeBytes) => {
      if (this.#entries[0] === undefined || entry.slot < this.#entries[0].slot) return;
      this.#sizeBytes += sizeBytes;
      this.#trim();
    });
    this.#entries.push(entry);
    this.#sizeBytes += entry.sizeBytes;
    this.#trim();
  }

  /** Returns the first block after a slot that is not below `base`; undefined if it has not arrived yet. */
  after(slot: bigint): Entry | undefined {
    return this.#entries[this.#indexAfter(slot)];
  }

  /** Returns the number of blocks after a slot. */
  countAfter(slot: bigint): number {
    return this.#entries.length - this.#indexAfter(slot);
  }

  #indexAfter(slot: bigint): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.slot ?? 0n) <= slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #trim(): void {
    const { maxSlots, maxBytes } = this.#limits;
    while (this.#entries.length > 1 && (this.#entries.length > maxSlots || this.#sizeBytes > maxBytes)) {
      const [oldest] = this.#entries.splice(0, 1);
      if (oldest === undefined) return;
      this.#sizeBytes -= oldest.sizeBytes;
      this.#base = oldest.slot;
    }
  }
}
