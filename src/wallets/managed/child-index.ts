/** Consecutive indexes. */
export type Indexes = { readonly start: number; readonly count: number };

/** Every x of `accounts` with every y of `change`: m/44'/501'/x'/y'. */
export type DerivationRange = { readonly accounts: Indexes; readonly change: Indexes };

/** The position of a child below its master. */
export type ChildIndex = { readonly x: number; readonly y: number };

/** Returns the n-th index of a range, from 0: all changes of the first account, then of the next. */
export function childIndexAt({ accounts, change }: DerivationRange, at: number): ChildIndex {
  return { x: accounts.start + Math.floor(at / change.count), y: change.start + (at % change.count) };
}

/** Returns an index as the key of a map. */
export function childIndexKey({ x, y }: { readonly x: number | null; readonly y: number | null }): string {
  return `${x}/${y}`;
}
