import { documentSeries } from '../../../store/billing-tables.ts';
import { sql } from '../../../store/drizzle.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';

const PREFIXES = { invoice: 'INV', credit_note: 'CN' } as const;
const DIGITS = 6;
const INVOICE = /^INV-(\d{6,15})$/;

/** The kinds of documents that have numbers of their own. */
export type DocumentKind = keyof typeof PREFIXES;

/** Takes the next number of a kind of document. Other transactions wait until this one ends, so that no number is left out. */
export async function takeNumber(tx: StoreTransaction, kind: DocumentKind): Promise<number> {
  const [taken] = await tx
    .insert(documentSeries)
    .values({ kind, last: 1 })
    .onConflictDoUpdate({ target: documentSeries.kind, set: { last: sql`${documentSeries.last} + 1` } })
    .returning({ last: documentSeries.last });
  if (taken === undefined) throw new Error('the document series returned no number');
  return taken.last;
}

/** Prints the number of a document, such as `INV-000042`. */
export function printNumber(kind: DocumentKind, number: number): string {
  return `${PREFIXES[kind]}-${String(number).padStart(DIGITS, '0')}`;
}

/** Parses the printed number of an invoice; undefined for anything else. */
export function readInvoiceNumber(text: string): number | undefined {
  const digits = INVOICE.exec(text)?.[1];
  const number = Number(digits);
  return digits !== undefined && printNumber('invoice', number) === text ? number : undefined;
}
