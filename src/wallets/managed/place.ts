/** Consecutive indexes. */
export type Indexes = { readonly start: number; readonly count: number };

/** Every x of `accounts` with every y of `change`: m/44'/501'/x'/y'. */
export type DerivationRange = { readonly accounts: Indexes; readonly change: Indexes };

/** The position of a child below its master. */
export type ChildIndex = { readonly x: number; readonly y: number };

/** Returns the place with a number, from 0, in the order of a box: all changes of the first account, then of the next. */
export function placeAt({ accounts, change }: DerivationRange, at: number): ChildIndex {
  return { x: accounts.start + Math.floor(at / change.count), y: change.start + (at % change.count) };
}

/** Returns a place as the key of a map. */
export function keyOfPlace({ x, y }: { readonly x: number | null; readonly y: number | null }): string {
  return `${x}/${y}`;
}
