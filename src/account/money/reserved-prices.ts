import { type PriceBook as Book, type PricedUnits, priceOf } from '../../../runtime/price-book.ts';
import type { reservations } from '../../store/money-tables.ts';

type Reserved = Pick<
  typeof reservations.$inferSelect,
  'operation' | 'amount' | 'charged' | 'standardPrice' | 'volumePrice' | 'volumeThreshold'
>;

/**
 * Returns the prices that units of a reservation are charged at: those that its amount follows from. One from before they were kept has those
 * of the price list or, if they come to more than it has left, what it has left for each unit.
 */
export function reservedPrices(reserved: Reserved, priced: PricedUnits, listed: Book): Book {
  const prices = keptPrices(reserved) ?? listed;
  const left = reserved.amount - reserved.charged;
  if (priceOf(prices, priced) <= left) return prices;
  const each = left / priced.units;
  return { ...prices, prices: { [reserved.operation]: { standard: each, volume: each } } };
}

function keptPrices({ operation, volumeThreshold, ...row }: Reserved): Book | undefined {
  const { standardPrice: standard, volumePrice: volume } = row;
  if (standard === null || volume === null || volumeThreshold === null) return undefined;
  return { volumeThreshold, prices: { [operation]: { standard, volume } } };
}
