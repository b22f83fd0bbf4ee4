import type { ChainHead, ChainRecord } from './audit-chain.ts';

/** A line of an invoice. */
export type BillLine = {
  readonly operation: string;
  readonly tier: 'standard' | 'volume' | 'earlier_prices';
  readonly units: number;
  readonly unit_price_usd: string;
  readonly amount_usd: string;
};

/** The members of an invoice that are compared with its records. */
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

/** A credit note of an invoice. */
export type BillNote = {
  readonly number: string;
  readonly invoice_number: string;
  readonly amount_usd: string;
  readonly reason: string;
  readonly issued_at: string;
};

/** The form of a bill in a file: a line of JSON for each item. */
export const BILL_FORM = 'keyslot bill v1';

/**
 * A part of a bill: the invoice, then the records of the audit log from `from_seq` on, each head after its record, then the credit notes of
 * the invoice, oldest first.
 */
export type BillItem<I extends BilledInvoice = BilledInvoice> =
  | { readonly bill: typeof BILL_FORM; readonly invoice: I }
  | { readonly record: ChainRecord }
  | { readonly head: ChainHead }
  | { readonly credit_note: BillNote };

/** The audit action of an issued invoice. */
export const ISSUED = 'invoice.issue';
/** The audit action of an issued credit note. */
export const CREDITED = 'credit_note.issue';

/** True for the record of a credit note of an invoice: an account has one for each month. */
export function isNoteOf({ action, charges }: ChainRecord, { month }: Pick<BilledInvoice, 'month'>): boolean {
  return action === CREDITED && charges?.[0]?.month === month;
}

/** Reads the parts of a bill. */
export type BillReads<I extends BilledInvoice> = {
  readonly readInvoice: (
    number: string,
  ) => Promise<{ readonly invoice: I; readonly credit_notes: readonly BillNote[] }>;
  readonly readChain: (
    fromSeq: number,
  ) => Promise<{ readonly records: readonly ChainRecord[]; readonly next_seq?: number }>;
  readonly readHeads: (
    fromSeq: number,
  ) => Promise<{ readonly heads: readonly ChainHead[]; readonly next_seq?: number }>;
};

/** The record of the invoice, or of one of its credit notes, is not signed yet. */
export class BillNotSigned extends Error {
  override readonly name = 'BillNotSigned';

  constructor() {
    super(
      'The records of the invoice, or of a credit note of it, are not signed yet; the server signs them within a minute: try again later.',
    );
  }
}

/** The server returned earlier records of the log instead of the next ones. */
export class BillGoesBack extends Error {
  override readonly name = 'BillGoesBack';
}

/** The position up to which a bill was read. */
export type BillPlace = {
  /** The first record to read. */
  readonly fromSeq: number;
  /** True if the record of the invoice is before it. */
  readonly isIssued: boolean;
  /** Numbers of the credit notes whose records are before it. */
  readonly notes: readonly string[];
};

/**
 * Yields an invoice with all records of its charges and credit notes, or those from a position on, up to the first signed head that covers
 * them, and the credit notes. Throws `BillNotSigned` at the end of the records if no head covers them yet.
 */
export async function* readBill<I extends BilledInvoice>(
  reads: BillReads<I>,
  number: string,
  place?: BillPlace,
): AsyncGenerator<BillItem<I>, void, undefined> {
  const { invoice, credit_notes: noted } = await reads.readInvoice(number);
  let notes = noted;
  const issued = new Set(place?.notes);
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
    if (isNoteOf(record, invoice)) issued.add(record.subject ?? '');
    while (head !== undefined && head.seq < record.seq) head = (await heads.next()).value;
    if (head === undefined || head.seq !== record.seq) continue;
    yield { head };
    if (!isIssued) continue;
    // A credit note was issued while the records were read.
    if (issued.size > notes.length) ({ credit_notes: notes } = await reads.readInvoice(number));
    if (!notes.every((note) => issued.has(note.number))) continue;
    for (const note of notes) yield { credit_note: note };
    return;
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
      throw new BillGoesBack(`The log continues at ${page.next}, expected a record after ${next}.`);
    next = page.next;
  }
  return undefined;
}
