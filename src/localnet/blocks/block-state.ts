import type { BlockRewards, TransactionRecord } from '../model.ts';
import type { RecentBlockhashes } from './recent-blockhashes.ts';
import type { SkippedSlots } from './skipped-slots.ts';
import type { SlotRing } from './slot-ring.ts';
import type { TransactionIndex } from './transaction-index.ts';

/** A state of the chain that was taken. Nobody changes its parts any more. */
export type BlockState = {
  readonly ring: SlotRing;
  readonly skipped: SkippedSlots;
  readonly blockhashes: RecentBlockhashes;
  readonly open: readonly TransactionRecord[];
  readonly openRewards?: BlockRewards | undefined;
  readonly openSlot: bigint;
  readonly openTime: bigint;
  /** The slot of the chain's first block; undefined: it is not kept. */
  readonly firstOfChain: bigint | undefined;
  /** The oldest slot with a block. */
  readonly first: bigint;
  readonly count: number;
  /** Of the votes in closed slots. */
  readonly voteCount: number;
};

/** Makes the index of one chain that of another: where they have a block in common, only what differs after it is touched. */
export function reindex(index: TransactionIndex, before: BlockState, after: BlockState): void {
  const fork = lastCommon(before, after);
  if (fork === undefined) index.clear();
  else for (const record of recordsAfter(before, fork).toReversed()) index.dropNewest(record);
  for (const record of recordsAfter(after, fork)) index.add(record);
}

/** Returns the height of the last block that two chains have in common; undefined: one has dropped blocks that the other has. */
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

/** All transactions after a block, or of all blocks, oldest first. */
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
