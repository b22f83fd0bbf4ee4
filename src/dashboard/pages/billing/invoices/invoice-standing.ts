import type { ListedInvoice } from '../../../../../generated/account/types.ts';
import { dayOf } from '../../../parts/calendar.ts';
import { microOf } from '../../../parts/usd.ts';

/** The standing of an invoice, in a word. */
export type InvoiceStanding = { readonly tone: 'good' | 'warn' | 'bad' | 'off'; readonly word: string };

/** The members of an invoice that its standing follows from. */
export type StandingFacts = Pick<ListedInvoice, 'due_on' | 'total_usd' | 'credited_usd' | 'outstanding_usd'>;

/** True if something is left to pay of an invoice. */
export function isOpen({ outstanding_usd }: Pick<ListedInvoice, 'outstanding_usd'>): boolean {
  return microOf(outstanding_usd) > 0n;
}

/** True if something is left to pay of an invoice whose day has passed. */
export function isOverdue(
  invoice: Pick<ListedInvoice, 'due_on' | 'outstanding_usd'>,
  nowMs: number,
): boolean {
  return isOpen(invoice) && invoice.due_on < dayOf(nowMs);
}

/** Returns how an invoice stands: to pay, overdue, paid, or given back whole. */
export function standingOf(invoice: StandingFacts, nowMs: number): InvoiceStanding {
  if (isOverdue(invoice, nowMs)) return { tone: 'bad', word: 'overdue' };
  if (isOpen(invoice)) return { tone: 'warn', word: 'to pay' };
  const [total, credited] = [microOf(invoice.total_usd), microOf(invoice.credited_usd)];
  return credited > 0n && credited >= total
    ? { tone: 'off', word: 'credited' }
    : { tone: 'good', word: 'paid' };
}
