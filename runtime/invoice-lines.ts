import type { BillLine } from './bill.ts';
import { printUsd } from './micro-usd.ts';
import { type PriceBook, priceOf, splitUnits } from './price-book.ts';

/** Units of a row of the price list that were charged in a month, and their cost in micro-USD. */
export type ChargedUnits = {
  readonly operation: string;
  readonly units: bigint;
  readonly amount: bigint;
};

/**
 * Returns the lines of an invoice, in the order of the price list: units up to the volume threshold, those above it, and the difference by
 * earlier price lists. Their amounts add up to the total charges.
 */
export function invoiceLines(book: PriceBook, charged: readonly ChargedUnits[]): readonly BillLine[] {
  return Object.keys(book.prices)
    .flatMap((row) => charged.filter(({ operation }) => operation === row))
    .flatMap((units) => linesOf(book, units));
}

function linesOf(book: PriceBook, { operation, units, amount }: ChargedUnits): readonly BillLine[] {
  const priced = { operation, before: 0n, units };
  const split = splitUnits(book, priced);
  const difference = amount - priceOf(book, priced);
  const line = (tier: BillLine['tier'], count: bigint, price: bigint, cost = count * price): BillLine => ({
    operation,
    tier,
    units: Number(count),
    unit_price_usd: printUsd(price),
    amount_usd: printUsd(cost),
  });
  const { standard, volume } = book.prices[operation] ?? { standard: 0n, volume: 0n };
  return [
    ...(split.standard > 0n ? [line('standard', split.standard, standard)] : []),
    ...(split.volume > 0n ? [line('volume', split.volume, volume)] : []),
    ...(difference === 0n ? [] : [line('earlier_prices', 0n, 0n, difference)]),
  ];
}
