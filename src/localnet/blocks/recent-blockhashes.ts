/** Number of blocks for which a blockhash stays valid. */
export const MAX_BLOCKHASH_AGE = 150n;
/** Number of known hashes: those valid for the newest finalized bank and all later ones. */
const KEPT = 200n;

/** The slots of the newest blockhashes, by hash. */
export class RecentBlockhashes {
  readonly #slots: Map<string, bigint>;

  constructor(slots: ReadonlyMap<string, bigint> = new Map()) {
    this.#slots = new Map(slots);
  }

  /** Returns all of them with their slots, oldest first. */
  all(): ReadonlyMap<string, bigint> {
    return new Map(this.#slots);
  }

  copy(): RecentBlockhashes {
    return new RecentBlockhashes(this.#slots);
  }

  add(blockhash: string, slot: bigint): void {
    this.#slots.set(blockhash, slot);
    if (this.#slots.size <= KEPT) return;
    const [oldest] = this.#slots.keys();
    if (oldest !== undefined) this.#slots.delete(oldest);
  }

  /** Returns the slot of a blockhash, if it is recent. */
  slotOf(blockhash: string): bigint | undefined {
    return this.#slots.get(blockhash);
  }

  /** True when a bank whose latest hash is that of `latestSlot` accepts the blockhash. */
  isValid(blockhash: string, latestSlot: bigint): boolean {
    const slot = this.#slots.get(blockhash);
    return slot !== undefined && slot <= latestSlot && latestSlot - slot <= MAX_BLOCKHASH_AGE;
  }
}
