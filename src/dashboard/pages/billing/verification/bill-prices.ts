import { PLANS } from '../../../../../generated/plans.ts';
import type { BillPrices } from '../../../../../runtime/bill-tally.ts';
import { readPriceBook } from '../../../../../runtime/price-book.ts';

/** The price list, and the credits for missed availability, of the specification that this page was built from. */
export const BILL_PRICES: BillPrices = {
  book: readPriceBook(PLANS),
  credits: PLANS.service_credits.rows,
};
