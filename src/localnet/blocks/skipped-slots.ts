/** A run of slots without blocks: from `first`, and before `end`. `total`: how many slots up to here have none. */
type Gap = { readonly first: bigint; readonly end: bigint; readonly total: bigint };

/** The slots of a chain that have no block. All others are numbered without a hole: by position. */
export class SkippedSlots {
  readonly #gaps: Gap[];

  constructor(gaps: readonly Gap[] = []) {
    this.#gaps = [...gaps];
  }

  /** Skips the slots from `first` on, and before `end`: later ones than any before. */
  skip(first: bigint, end: bigint): void {
    if (end > first) this.#gaps.push({ first, end, total: this.before(first) + end - first });
  }

  has(slot: bigint): boolean {
    const gap = this.#gaps.findLast(({ first }) => first <= slot);
    return gap !== undefined && gap.end > slot;
  }

  /** Returns how many slots before one have no block. */
  before(slot: bigint): bigint {
    return this.#gaps.findLast(({ end }) => end <= slot)?.total ?? 0n;
  }

  /** Returns the slot of the block before that of a slot. */
  parentOf(slot: bigint): bigint {
    return (this.#gaps.findLast(({ end }) => end === slot)?.first ?? slot) - 1n;
  }

  /** Returns the first of the slots up to one that follow each other without a hole. */
  runStart(slot: bigint): bigint {
    return this.#gaps.findLast(({ end }) => end <= slot)?.end ?? 0n;
  }

  /** Returns the slot at a position. */
  slotAt(position: bigint): bigint {
    let slot = position;
    for (const { first, end } of this.#gaps) if (slot >= first) slot += end - first;
    return slot;
  }

  /** Returns the runs of skipped slots from `from` to `to`, both included, ascending; each from its first and before its end. */
  within(from: bigint, to: bigint): readonly { readonly first: bigint; readonly end: bigint }[] {
    return this.#gaps.flatMap(({ first, end }) => {
      const [start, stop] = [first > from ? first : from, end > to ? to + 1n : end];
      return start < stop ? [{ first: start, end: stop }] : [];
    });
  }

  /** Returns every run of them, ascending. */
  all(): readonly Gap[] {
    return [...this.#gaps];
  }

  copy(): SkippedSlots {
    return new SkippedSlots(this.#gaps);
  }
}
