import type { BilledInvoice, BillItem } from '../../../../../runtime/bill.ts';
import { PLANS } from '../../../../../generated/plans.ts';
import type { BillPrices } from '../../../../../runtime/bill-tally.ts';
import { readPriceBook } from '../../../../../runtime/price-book.ts';

/** The number of records read, and their percentage of the time from the first record to the invoice. */
export type BillProgress = { readonly records: number; readonly percent: number };

/** Records between two calls of `onProgress`. */
const EVERY = 500;
/** The most records that a browser reads: some 600 MB. The command has no such limit. */
export const MOST_RECORDS = 1_000_000;

/** Thrown when an invoice has more records than a browser reads. */
export class TooManyRecords extends Error {
  override readonly name = 'TooManyRecords';

  constructor(most: number) {
    super(
      `The invoice has more than ${most.toLocaleString('en')} records, too many for a browser. Use the commands keyslot bill fetch and keyslot bill verify.`,
    );
  }
}

type Watch = {
  readonly onProgress: (progress: BillProgress) => void;
  /** Default `MOST_RECORDS`. */
  readonly most?: number;
};

/**
 * Passes on the items of a bill, and reports the progress by time, because the number of records is unknown until the last one. Throws
 * `TooManyRecords` above the limit.
 */
export async function* watchItems<I extends BilledInvoice & { readonly issued_at: string }>(
  items: AsyncIterable<BillItem<I>>,
  { onProgress, most = MOST_RECORDS }: Watch,
): AsyncGenerator<BillItem<I>> {
  let [records, beginMs, endMs] = [0, 0, 0];
  for await (const item of items) {
    if (records === most && 'record' in item) throw new TooManyRecords(most);
    yield item;
    if ('invoice' in item) endMs = Date.parse(item.invoice.issued_at);
    if (!('record' in item)) continue;
    const atMs = Date.parse(item.record.at);
    if (records === 0) beginMs = atMs;
    records += 1;
    if (records % EVERY === 0) onProgress({ records, percent: percentOf(atMs - beginMs, endMs - beginMs) });
  }
}

function percentOf(part: number, whole: number): number {
  if (whole <= 0) return 100;
  return Math.min(100, Math.max(0, (100 * part) / whole));
}

/** The prices, and the credits for missed availability, of the specification that this page was built from. */
export const BILL_PRICES: BillPrices = {
  book: readPriceBook(PLANS),
  credits: PLANS.service_credits.rows,
};
