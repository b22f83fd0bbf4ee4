/** Consecutive items that are made and committed together. */
export type GroupRange = { readonly from: number; readonly count: number; readonly isLast: boolean };

/** The first group is small, so that the first line leaves at once. */
const FIRST = 32;
const REST = 512;

/** Whether so many items, from the first on, are one group. */
export function isOneGroup(count: number): boolean {
  return count <= FIRST;
}

/** The groups that the items from `from` to below `end` fall into; none where there are none. */
export function* groupRanges(from: number, end: number): Generator<GroupRange, void, undefined> {
  let size = FIRST;
  for (let at = from; at < end; ) {
    const count = Math.min(size, end - at);
    yield { from: at, count, isLast: at + count === end };
    at += count;
    size = REST;
  }
}
