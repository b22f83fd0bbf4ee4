import { PLANS } from '../../../../generated/plans.ts';
import { type PriceBook as Book, readPriceBook } from '../../../../runtime/price-book.ts';

/** The price rows of spec/plans.yaml. */
export type Operation = keyof typeof PLANS.wallet_prices;

/** Prices of the rows of spec/plans.yaml. */
export type PriceBook = Book<Operation>;

/** The prices of spec/plans.yaml (interface.md section 8). */
export const SPEC_PRICES: PriceBook = readPriceBook<Operation>(PLANS);
