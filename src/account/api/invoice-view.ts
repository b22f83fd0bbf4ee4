import type {
  InvoiceDetails as ShownDetails,
  ListedInvoice as ShownInvoice,
} from '../../../generated/account/types.ts';
import { printUsd } from '../../../runtime/micro-usd.ts';
import type { InvoiceDetails, ListedInvoice } from '../billing/invoices/read-invoices.ts';
import { showCreditNote } from '../billing/invoices/show-credit-note.ts';

/** Returns an invoice as lists show it. */
export function showListedInvoice(invoice: ListedInvoice): ShownInvoice {
  const { number, month, issuedAt, dueOn, total, credited, outstanding } = invoice;
  return {
    number,
    month,
    issued_at: issuedAt.toISOString(),
    due_on: dueOn,
    total_usd: printUsd(total),
    credited_usd: printUsd(credited),
    outstanding_usd: printUsd(outstanding),
  };
}

/** Returns an invoice, its credit notes and its outstanding amount. */
export function toInvoiceView({ invoice, notes, credited, outstanding }: InvoiceDetails): ShownDetails {
  return {
    invoice,
    credit_notes: notes.map(showCreditNote),
    credited_usd: printUsd(credited),
    outstanding_usd: printUsd(outstanding),
  };
}
