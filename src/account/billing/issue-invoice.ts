import { invoices } from '../../store/billing-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { readAccountName } from '../account-name.ts';
import type { BillingNotice } from './billing-notice.ts';
import { readTotals, unpaidOf } from './debt.ts';
import { documentDigest } from './document-digest.ts';
import { printNumber, takeNumber } from './document-number.ts';
import { readFirstSeq } from './first-record.ts';
import { type BillingTerms, readTerms } from './terms.ts';
import { type InvoiceFacts, type InvoiceTexts, writeInvoice } from './write-invoice.ts';

type Wanted = Omit<InvoiceFacts, 'number' | 'accountName' | 'recipient' | 'due' | 'fromSeq'>;
/** An invoice that was issued, with the digest of its document. */
export type IssuedInvoice = {
  readonly notice: Extract<BillingNotice, { readonly kind: 'invoice' }>;
  readonly documentSha256: string;
};

/**
 * Issues the invoice of a month whose credit is booked. The books of the account are locked.
 *
 * @returns undefined, without an invoice, if nothing was charged, or the account paid all of it from its balance.
 */
export async function issueInvoice(
  tx: StoreTransaction,
  texts: InvoiceTexts,
  wanted: Wanted,
): Promise<IssuedInvoice | undefined> {
  const { accountId, month, charged, serviceCredit, nowMs } = wanted;
  const total = charged - serviceCredit;
  const { recipient, ...terms } = await readTerms(tx, accountId);
  const due = unpaidOf(await readTotals(tx, accountId, month), total);
  if (charged === 0n || !(wasInvoicedIn(terms, month) || due > 0n)) return undefined;
  const accountName = await readAccountName(tx, accountId);
  const fromSeq = await readFirstSeq(tx, { accountId, month });
  const number = await takeNumber(tx, 'invoice');
  const printed = printNumber('invoice', number);
  const invoice = writeInvoice(texts, { ...wanted, number: printed, accountName, recipient, due, fromSeq });
  await tx.insert(invoices).values({
    ...{ number, accountId, month, total, paid: total - due },
    ...{ document: JSON.stringify(invoice), issuedAt: new Date(nowMs) },
  });
  const notice = { kind: 'invoice', accountId, number: printed, due, dueOn: invoice.due_on } as const;
  return { notice, documentSha256: documentDigest('invoice', invoice) };
}

/** A change of terms leaves the months before it as they were. */
function wasInvoicedIn(
  { invoicedSince, invoicedUntil }: Pick<BillingTerms, 'invoicedSince' | 'invoicedUntil'>,
  month: string,
): boolean {
  if (invoicedSince !== undefined && invoicedSince <= month) return true;
  return invoicedUntil !== undefined && month <= invoicedUntil;
}
