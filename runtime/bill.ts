import type { ChainHead, ChainRecord } from './audit-chain.ts';

/** A line of an invoice. */
export type BillLine = {
  readonly operation: string;
  readonly tier: 'standard' | 'volume' | 'earlier_prices';
  readonly units: number;
  readonly unit_price_usd: string;
  readonly amount_usd: string;
};

/** The members of an invoice that its records are held against. */
export type BilledInvoice = {
  readonly number: string;
  readonly account_id: string;
  readonly month: string;
  readonly lines: readonly BillLine[];
  readonly charged_usd: string;
  readonly availability_percent: string;
  readonly service_credit_percent: number;
  readonly service_credit_usd: string;
  readonly total_usd: string;
  readonly paid_usd: string;
  readonly due_usd: string;
  readonly from_seq: number;
};

/** The form of a bill in a file: a line of JSON for each item. */
export const BILL_FORM = 'keyslot bill v1';

/** A part of a bill: the invoice, then the records of the audit log from `from_seq` on, each head behind its record. */
export type BillItem<I extends BilledInvoice = BilledInvoice> =
  | { readonly bill: typeof BILL_FORM; readonly invoice: I }
  | { readonly record: ChainRecord }
  | { readonly head: ChainHead };

/** The action that the audit log records an invoice with. */
export const ISSUED = 'invoice.issue';

/** Reads what a bill is made of. */
export type BillReads<I extends BilledInvoice> = {
  readonly readInvoice: (number: string) => Promise<I>;
  readonly readChain: (
    fromSeq: number,
  ) => Promise<{ readonly records: readonly ChainRecord[]; readonly next_seq?: number }>;
  readonly readHeads: (
    fromSeq: number,
  ) => Promise<{ readonly heads: readonly ChainHead[]; readonly next_seq?: number }>;
};

/** The record of the invoice is not signed yet. */
export class BillNotSigned extends Error {
  override readonly name = 'BillNotSigned';

  constructor() {
    super(
      'The records of the invoice are not signed yet; the server signs them within a minute: try again then.',
    );
  }
}

/** The server went back in the log where it should have led on. */
export class BillGoesBack extends Error {
  override readonly name = 'BillGoesBack';
}

/** How far a bill was read before. */
export type BillPlace = {
  /** The first record that is read. */
  readonly fromSeq: number;
  /** True if the record of the invoice stands before it. */
  readonly isIssued: boolean;
};

/**
 * Yields an invoice with all records that its charges are in, or those from a place on, up to the first signed head that covers them.
 * Throws `BillNotSigned` at the end of the records if there is none yet.
 */
export async function* readBill<I extends BilledInvoice>(
  reads: BillReads<I>,
  number: string,
  place?: BillPlace,
): AsyncGenerator<BillItem<I>, void, undefined> {
  const invoice = await reads.readInvoice(number);
  yield { bill: BILL_FORM, invoice };
  const { fromSeq } = place ?? { fromSeq: invoice.from_seq };
  const heads = walk(fromSeq, async (seq) => {
    const page = await reads.readHeads(seq);
    return { items: page.heads, next: page.next_seq };
  });
  let head = (await heads.next()).value;
  let isIssued = place?.isIssued ?? false;
  const records = walk(fromSeq, async (seq) => {
    const page = await reads.readChain(seq);
    return { items: page.records, next: page.next_seq };
  });
  for await (const record of records) {
    yield { record };
    isIssued ||= record.action === ISSUED && record.subject === number;
    while (head !== undefined && head.seq < record.seq) head = (await heads.next()).value;
    if (head === undefined || head.seq !== record.seq) continue;
    yield { head };
    if (isIssued) return;
  }
  throw new BillNotSigned();
}

type Page<T> = { readonly items: readonly T[]; readonly next: number | undefined };

async function* walk<T>(
  fromSeq: number,
  read: (seq: number) => Promise<Page<T>>,
): AsyncGenerator<T, undefined, undefined> {
  for (let next: number | undefined = fromSeq; next !== undefined; ) {
    const page: Page<T> = await read(next);
    yield* page.items;
    if (page.next !== undefined && page.next <= next)
      throw new BillGoesBack(`The log goes on at ${page.next} behind ${next}.`);
    next = page.next;
  }
  return undefined;
}
