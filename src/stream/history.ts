import type { Block } from './block/block.ts';
import { Entry } from './entry.ts';

export type HistoryLimits = { readonly maxSlots: number; readonly maxBytes: number };

/**
 * The newest blocks of a network, without gaps: every block after `base` up to `newest`. The oldest are dropped when there are too many or
 * they take too many bytes; the newest one stays whatever its size.
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

  /** The newest slot; `base` while there is no block. */
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

  /** Returns the first block after a slot that is not below `base`; undefined if there is none yet. */
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
