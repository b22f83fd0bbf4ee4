import type { ListedInvoice } from '../../../../../generated/account/types.ts';
import { dayOf } from '../../../parts/calendar.ts';
import { microOf } from '../../../parts/format-number.ts';

/** The status of an invoice, in a word. */
export type InvoiceStanding = { readonly tone: 'good' | 'warn' | 'bad' | 'off'; readonly word: string };

/** The members of an invoice that determine its status. */
export type StandingFacts = Pick<ListedInvoice, 'due_on' | 'total_usd' | 'credited_usd' | 'outstanding_usd'>;

/** True if an amount is left to pay. */
export function isOpen({ outstanding_usd }: Pick<ListedInvoice, 'outstanding_usd'>): boolean {
  return microOf(outstanding_usd) > 0n;
}

/** True if an amount is left to pay after the due date. */
export function isOverdue(
  invoice: Pick<ListedInvoice, 'due_on' | 'outstanding_usd'>,
  nowMs: number,
): boolean {
  return isOpen(invoice) && invoice.due_on < dayOf(nowMs);
}

/** Returns the status of an invoice: to pay, overdue, paid, or fully credited. */
export function standingOf(invoice: StandingFacts, nowMs: number): InvoiceStanding {
  if (isOverdue(invoice, nowMs)) return { tone: 'bad', word: 'overdue' };
  if (isOpen(invoice)) return { tone: 'warn', word: 'to pay' };
  const [total, credited] = [microOf(invoice.total_usd), microOf(invoice.credited_usd)];
  return credited > 0n && credited >= total
    ? { tone: 'off', word: 'credited' }
    : { tone: 'good', word: 'paid' };
}
