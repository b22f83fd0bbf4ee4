/** Prices of one unit, in integer micro-USD. */
export type Price = {
  readonly standard: bigint;
  /** Price of units above the threshold, per account and UTC month. At most the standard price. */
  readonly volume: bigint;
};

/** Prices, and the number of units per row and month at the standard price. */
export type PriceBook<O extends string = string> = {
  readonly prices: Readonly<Record<O, Price>>;
  readonly volumeThreshold: bigint;
};

/** Units of a row of a price list, the units counted before them in the same month, and the row. */
export type PricedUnits<O extends string = string> = {
  readonly operation: O;
  readonly before: bigint;
  readonly units: bigint;
};

/**
 * Returns the numbers of units at the standard price and at the volume price. The latter is marginal: units up to the threshold keep the
 * standard price.
 */
export function splitUnits(
  { volumeThreshold }: Pick<PriceBook, 'volumeThreshold'>,
  { before, units }: Pick<PricedUnits, 'before' | 'units'>,
): { readonly standard: bigint; readonly volume: bigint } {
  const left = volumeThreshold > before ? volumeThreshold - before : 0n;
  const standard = units < left ? units : left;
  return { standard, volume: units - standard };
}

/** Returns the price of `units`, in micro-USD, after `before` units of the same row in the same month. */
export function priceOf<O extends string>(book: PriceBook<O>, priced: PricedUnits<O>): bigint {
  const { standard, volume } = splitUnits(book, priced);
  const price = book.prices[priced.operation];
  return standard * price.standard + volume * price.volume;
}

type PriceList<O extends string> = {
  readonly volume_threshold_operations: number;
  readonly wallet_prices: Readonly<Record<O, { readonly standard: number; readonly volume: number }>>;
};

/** Returns the prices of a price list as spec/plans.yaml has it. */
export function readPriceBook<O extends string>(list: PriceList<O>): PriceBook<O> {
  const rows = Object.entries(list.wallet_prices) as [O, PriceList<O>['wallet_prices'][O]][];
  const prices = rows.map(([operation, { standard, volume }]) => [
    operation,
    { standard: BigInt(standard), volume: BigInt(volume) },
  ]);
  return {
    volumeThreshold: BigInt(list.volume_threshold_operations),
    prices: Object.fromEntries(prices) as Record<O, Price>,
  };
}
