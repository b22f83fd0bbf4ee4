import type { BlockRewards, TransactionRecord } from '../model.ts';
import type { RecentBlockhashes } from './recent-blockhashes.ts';
import type { SlotRing } from './slot-ring.ts';
import type { TransactionIndex } from './transaction-index.ts';

/** A captured state of the chain. Its parts are never changed. */
export type BlockState = {
  readonly ring: SlotRing;
  readonly skipped: SkippedSlots;
  readonly blockhashes: RecentBlockhashes;
  readonly open: readonly TransactionRecord[];
  readonly openRewards?: BlockRewards | undefined;
  readonly openSlot: bigint;
  readonly openTime: bigint;
  /** The slot of the chain's first block; undefined: no longer kept. */
  readonly firstOfChain: bigint | undefined;
  /** The oldest slot with a block. */
  readonly first: bigint;
  readonly count: number;
  /** Number of votes in closed slots. */
  readonly voteCount: number;
};

/** Turns the index of one chain into that of another: only what differs after their last common block is touched. */
export function reindex(index: TransactionIndex, before: BlockState, after: BlockState): void {
  const fork = lastCommon(before, after);
  if (fork === undefined) index.clear();
  else for (const record of recordsAfter(before, fork).toReversed()) index.dropNewest(record);
  for (const record of recordsAfter(after, fork)) index.add(record);
}

/** Returns the height of the last block that two chains share; undefined: one has dropped blocks that the other has. */
function lastCommon(before: BlockState, after: BlockState): bigint | undefined {
  const [first, tips] = [heightOf(before, before.first), [tipOf(before), tipOf(after)] as const];
  if (before.first !== after.first) return undefined;
  let height = lower(...tips);
  while (
    height >= first &&
    Buffer.compare(before.ring.blockhashBytes(height), after.ring.blockhashBytes(height)) !== 0
  )
    height -= 1n;
  return height >= first ? height : undefined;
}

/** The transactions after a height (undefined: all), oldest first. */
function recordsAfter(state: BlockState, height: bigint | undefined): readonly TransactionRecord[] {
  const records: TransactionRecord[] = [];
  for (
    let each = height === undefined ? heightOf(state, state.first) : height + 1n;
    each <= tipOf(state);
    each++
  )
    records.push(...state.ring.transactions(each));
  return [...records, ...state.open];
}

/** Returns the height of the newest closed block. */
export function tipOf(state: BlockState): bigint {
  return heightOf(state, state.openSlot) - 1n;
}

/** Returns the height of the block of a slot. */
export function heightOf({ skipped }: BlockState, slot: bigint): bigint {
  return slot - skipped.before(slot);
}

function lower(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** A run of slots without blocks, from `first` and before `end`. `total`: number of skipped slots up to here. */
type Gap = { readonly first: bigint; readonly end: bigint; readonly total: bigint };

/** The skipped slots of a chain. The other slots have consecutive positions. */
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
