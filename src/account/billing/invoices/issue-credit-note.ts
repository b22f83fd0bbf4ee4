import { printUsd } from '../../../../runtime/micro-usd.ts';
import { createRequestId } from '../../../core/request-id.ts';
import { serviceError } from '../../../core/service-error.ts';
import { creditNotes, invoices } from '../../../store/billing-tables.ts';
import { and, eq, sql } from '../../../store/drizzle.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { type AccountFact, appendAudits } from '../../audit/append-audit.ts';
import { lockBooks, postMoney } from '../books/books.ts';
import { toCharge } from '../books/operation-count.ts';
import { documentDigest } from './document-digest.ts';
import { printNumber, readInvoiceNumber, takeNumber } from './document-number.ts';
import type { CreditNote } from './read-invoices.ts';
import { showCreditNote } from './show-credit-note.ts';

/** A correction of an invoice. */
export type WantedNote = {
  readonly invoiceNumber: string;
  /** Micro-USD, more than 0. */
  readonly amount: bigint;
  readonly reason: string;
  readonly reference: string;
  /** Default: a new one. */
  readonly requestId?: string | undefined;
  /** Returns a record that is appended with that of the account, by the number of the note. */
  readonly also?: ((number: string) => AccountFact) | undefined;
  readonly nowMs: number;
};

type Invoice = typeof invoices.$inferSelect;

/**
 * Gives back a part of an invoice. A note with the reference and amount of an earlier one is not issued again.
 *
 * @returns the credit note; `isNew` is false if it had been issued before.
 * @throws ServiceError `invoiceNotFound`; `creditNoteTooHigh`; `creditReferenceUsed` if the reference belongs to another amount.
 */
export async function issueCreditNote(
  tx: StoreTransaction,
  wanted: WantedNote,
): Promise<{ readonly note: CreditNote; readonly isNew: boolean }> {
  const invoice = await findInvoice(tx, wanted.invoiceNumber);
  const { accountId } = invoice;
  const books = await lockBooks(tx, accountId);
  const earlier = await findEarlier(tx, invoice, wanted);
  if (earlier !== undefined) return { note: toNote(earlier), isNew: false };
  await assertLeft(tx, invoice, wanted);
  const { amount, reason, reference, nowMs } = wanted;
  const parts = { available: amount, revenue: -amount };
  await postMoney(tx, books, { kind: 'credit_note', month: invoice.month, note: reason, nowMs, parts });
  const number = await takeNumber(tx, 'credit_note');
  const row = { number, invoiceNumber: invoice.number, accountId, amount, reason, reference };
  const issuedAt = new Date(nowMs);
  await tx.insert(creditNotes).values({ ...row, issuedAt });
  const printed = printNumber('credit_note', number);
  const note = toNote({ ...row, issuedAt });
  const fact = {
    action: 'credit_note.issue',
    outcome: 'ok',
    requestId: wanted.requestId ?? createRequestId(),
    subject: printed,
    charges: [toCharge({ operation: 'credit_note', month: invoice.month }, { units: 0n, amount: -amount })],
    documentSha256: documentDigest('credit note', showCreditNote(note)),
  };
  const also = wanted.also === undefined ? [] : [wanted.also(printed)];
  await appendAudits(tx, [{ accountId, fact }, ...also], nowMs);
  return { note, isNew: true };
}

async function findInvoice(tx: StoreTransaction, printed: string): Promise<Invoice> {
  const number = readInvoiceNumber(printed) ?? 0;
  const [invoice] = await tx.select().from(invoices).where(eq(invoices.number, number));
  if (invoice === undefined) throw serviceError('invoiceNotFound', { number: printed });
  return invoice;
}

async function findEarlier(
  tx: StoreTransaction,
  { number }: Invoice,
  { reference, amount }: WantedNote,
): Promise<typeof creditNotes.$inferSelect | undefined> {
  const [earlier] = await tx
    .select()
    .from(creditNotes)
    .where(and(eq(creditNotes.invoiceNumber, number), eq(creditNotes.reference, reference)));
  if (earlier === undefined || earlier.amount === amount) return earlier;
  throw serviceError('creditReferenceUsed', { reference, amountUsd: printUsd(earlier.amount) });
}

async function assertLeft(
  tx: StoreTransaction,
  { number, total }: Invoice,
  { amount, invoiceNumber }: WantedNote,
): Promise<void> {
  const [given] = await tx
    .select({ amount: sql<string>`coalesce(sum(${creditNotes.amount}), 0)` })
    .from(creditNotes)
    .where(eq(creditNotes.invoiceNumber, number));
  const left = total - BigInt(given?.amount ?? 0);
  if (amount <= left) return;
  const figures = { amountUsd: printUsd(amount), leftUsd: printUsd(left) };
  throw serviceError('creditNoteTooHigh', { ...figures, number: invoiceNumber });
}

function toNote({
  number,
  invoiceNumber,
  amount,
  reason,
  issuedAt,
}: typeof creditNotes.$inferSelect): CreditNote {
  return {
    number: printNumber('credit_note', number),
    invoiceNumber: printNumber('invoice', invoiceNumber),
    amount,
    reason,
    issuedAt,
  };
}
