import { Link } from 'wouter';
import type { ListedInvoice } from '../../../../../generated/account/types.ts';
import { formatDay, formatMonth } from '../../../parts/calendar.ts';
import { Usd } from '../../../parts/number.tsx';
import type { Column } from '../../../parts/table.tsx';
import { InvoiceBadge } from './invoice-badge.tsx';

/** Columns of a list of invoices. `path` is the page that the numbers lead below. */
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
