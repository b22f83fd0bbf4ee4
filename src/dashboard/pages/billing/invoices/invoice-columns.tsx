import { Link } from 'wouter';
import type { ListedInvoice } from '../../../../../generated/account/types.ts';
import { formatDay, formatMonth } from '../../../parts/calendar.ts';
import { Usd } from '../../../parts/number.tsx';
import type { Column } from '../../../parts/table.tsx';
import { Badge } from '../../../parts/badge.tsx';
import { type StandingFacts, standingOf } from './invoice-standing.ts';

/** Columns of a list of invoices. The numbers link to pages below `path`. */
export function invoiceColumns(path: string): readonly Column<ListedInvoice>[] {
  return [
    { title: 'Number', show: ({ number }) => <Link href={`${path}/${number}`}>{number}</Link> },
    { title: 'Month', share: 1.2, show: ({ month }) => formatMonth(month) },
    { title: 'Due', show: ({ due_on }) => <time dateTime={due_on}>{formatDay(due_on)}</time> },
    { title: 'State', share: 0.8, show: (invoice) => <InvoiceBadge invoice={invoice} /> },
    { title: 'Total', kind: 'number', show: ({ total_usd }) => <Usd amount={total_usd} /> },
    { title: 'Left to pay', kind: 'number', show: ({ outstanding_usd }) => <Usd amount={outstanding_usd} /> },
  ];
}

/** The status of an invoice today: to pay, overdue, paid or credited. */
export function InvoiceBadge({ invoice }: { readonly invoice: StandingFacts }) {
  const { tone, word } = standingOf(invoice, Date.now());
  return (
    <span>
      <Badge tone={tone}>{word}</Badge>
    </span>
  );
}
