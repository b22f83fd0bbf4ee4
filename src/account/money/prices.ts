import { PLANS } from '../../../generated/plans.ts';

/** The price rows of spec/plans.yaml. */
export type Operation = keyof typeof PLANS.wallet_prices;

/** Prices of one unit, in integer micro-USD. */
export type Price = {
  readonly standard: bigint;
  /** Price of units above the threshold, per account and UTC month. At most the standard price. */
  readonly volume: bigint;
};

/** Prices, and the number of units per row and month at the standard price. */
export type PriceBook = {
  readonly prices: Readonly<Record<Operation, Price>>;
  readonly volumeThreshold: bigint;
};

const { wallet_prices: rows } = PLANS;

/** The largest `bigint` of PostgreSQL. */
const MAX_COUNT = 2n ** 63n - 1n;

/** The prices of spec/plans.yaml (interface.md section 8). */
export const SPEC_PRICES: PriceBook = {
  volumeThreshold: BigInt(PLANS.volume_threshold_operations),
  prices: {
    wallet_creation: readPrice(rows.wallet_creation),
    hd_child_derivation: readPrice(rows.hd_child_derivation),
    managed_signing: readPrice(rows.managed_signing),
    hd_master_creation: readPrice(rows.hd_master_creation),
  },
};

/**
 * Returns the price of `units`, in micro-USD, after `before` units of the same row in the same month. The volume price is marginal: units
 * up to the threshold have the standard price, whatever follows.
 */
export function priceOf(
  { prices, volumeThreshold }: PriceBook,
  {
    operation,
    before,
    units,
  }: { readonly operation: Operation; readonly before: bigint; readonly units: bigint },
): bigint {
  const { standard, volume } = prices[operation];
  const left = volumeThreshold > before ? volumeThreshold - before : 0n;
  const atStandard = units < left ? units : left;
  return atStandard * standard + (units - atStandard) * volume;
}

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

/** Returns the UTC month of an instant, such as `2025-01`. */
export function utcMonth(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 7);
}

function readPrice({ standard, volume }: { readonly standard: number; readonly volume: number }): Price {
  return { standard: BigInt(standard), volume: BigInt(volume) };
}
