import { PLANS } from '../../../generated/plans.ts';
import { type PriceBook as Book, readPriceBook } from '../../../runtime/price-book.ts';

/** The price rows of spec/plans.yaml. */
export type Operation = keyof typeof PLANS.wallet_prices;

/** Prices of the rows of spec/plans.yaml. */
export type PriceBook = Book<Operation>;

/** The largest `bigint` of PostgreSQL. */
const MAX_COUNT = 2n ** 63n - 1n;

/** The prices of spec/plans.yaml (interface.md section 8). */
export const SPEC_PRICES: PriceBook = readPriceBook<Operation>(PLANS);

/** Counts from `from` to `to`, both included. */
export type CountRange = { readonly from: bigint; readonly to: bigint };

/** Returns the range of earlier units in the same row and month for which `units` cost as much as after `before`. */
export function samePriceRange(
  { volumeThreshold }: PriceBook,
  { before, units }: { readonly before: bigint; readonly units: bigint },
): CountRange {
  if (before + units <= volumeThreshold) return { from: 0n, to: volumeThreshold - units };
  return before < volumeThreshold ? { from: before, to: before } : { from: volumeThreshold, to: MAX_COUNT };
}
