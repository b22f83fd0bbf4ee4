import { max } from '../kept-blocks.ts';
import type { Link } from './block-record.ts';
import type { Segment } from './segment.ts';

/** Segments by their base slot, ascending. They do not overlap. */
export type SegmentList = readonly Segment[];

/** A gap where blocks are missing. */
export type Hole = { readonly before: Segment; readonly after: Segment };

/** True for the same block. */
export function isSame(one: Link, other: Link): boolean {
  return one.slot === other.slot && one.blockhash === other.blockhash;
}

/** Returns the position of the segment that has the block after a slot; below zero if none has. */
export function findAfter(list: SegmentList, slot: bigint): number {
  const at = countBegun(list, slot) - 1;
  const found = list[at];
  return found !== undefined && slot < found.summary.end.slot ? at : -1;
}

/**
 * True if a block of a segment is known to be stable: it was finalized when a later block of its run was read, or the run is being
 * followed now.
 */
export function isServed(list: SegmentList, at: number, slot: bigint, live: Segment | undefined): boolean {
  for (let next = at; ; next++) {
    const segment = list[next];
    if (segment === undefined) return false;
    if (segment === live || segment.summary.finalizedSlot >= slot) return true;
    if (!isLinked(list, next + 1)) return false;
  }
}

/** Returns the slot after which every block up to `from` is present; `from` if the one before it is not. */
export function reachOf(list: SegmentList, from: bigint, live: Segment | undefined): bigint {
  let at = countBegun(list, from - 1n) - 1;
  const found = list[at];
  if (found === undefined || found.summary.end.slot < from || !isServed(list, at, from, live)) return from;
  while (isLinked(list, at)) at--;
  return list[at]?.summary.base.slot ?? from;
}

/** Returns the newest hole: all blocks after it are present. Undefined without a hole. */
export function newestHole(list: SegmentList): Hole | undefined {
  for (let at = list.length - 1; at > 0; at--) {
    const [before, after] = [list[at - 1], list[at]];
    if (before !== undefined && after !== undefined && !isLinked(list, at)) return { before, after };
  }
  return undefined;
}

/** Returns the highest slot known to be final, by a segment and the one before it. */
export function finalBefore(list: SegmentList, end: Segment): bigint {
  const earlier = list[list.indexOf(end) - 1] ?? end;
  return max(end.summary.finalizedSlot, earlier.summary.finalizedSlot);
}

/** Returns a list with one more. */
export function withSegment(list: SegmentList, segment: Segment): Segment[] {
  const at = countBegun(list, segment.summary.base.slot);
  return [...list.slice(0, at), segment, ...list.slice(at)];
}

/** Returns the number of holes. */
export function countHoles(list: SegmentList): number {
  return list.filter((_, at) => at > 0 && !isLinked(list, at)).length;
}

/** True if a segment continues where the one before it ends. */
function isLinked(list: SegmentList, at: number): boolean {
  const [before, after] = [list[at - 1], list[at]];
  return before !== undefined && after !== undefined && isSame(before.summary.end, after.summary.base);
}

/** Returns the number of segments that begin at a slot or before it. */
function countBegun(list: SegmentList, slot: bigint): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.summary.base.slot ?? 0n) <= slot) low = middle + 1;
    else high = middle;
  }
  return low;
}
