import { useParams } from 'wouter';
import { useState } from 'react';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { InvoiceList } from './invoices/invoice-list.tsx';
import { InvoicePage } from './invoices/invoice-page.tsx';
import { BillingOverview } from './overview/billing-overview.tsx';
import { StatementList } from './statements/statement-list.tsx';
import { StatementPage } from './statements/statement-page.tsx';
import './billing-page.css';
import type { BookEntry } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { ListPage } from '../../parts/list-page.tsx';
import { Count, Usd } from '../../parts/number.tsx';
import { priceRowName } from '../../parts/format-number.ts';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { LongExport } from '../../parts/long-export.tsx';
import { type Span, spanOf } from '../usage/span.ts';
import { SpanFields } from '../usage/span-fields.tsx';

const TABS = [
  { href: '/billing', title: 'Overview' },
  { href: '/billing/invoices', title: 'Invoices' },
  { href: '/billing/statements', title: 'Statements' },
  { href: '/billing/entries', title: 'Entries' },
];

/** Billing of the account: terms, invoices, statements and the books. */
export function BillingPage() {
  const { view, id } = useParams();
  if (id !== undefined) {
    if (view === 'invoices') return <InvoicePage key={id} number={id} />;
    if (view === 'statements') return <StatementPage month={id} />;
    return <NotFoundPage />;
  }
  if (!TABS.some(({ href }) => href === ['/billing', view].filter(Boolean).join('/')))
    return <NotFoundPage />;
  return (
    <Page title="Billing" lead="How the account pays, its invoices, and every movement of its money.">
      <Tabs label="Views" tabs={TABS} />
      {view === undefined && <BillingOverview />}
      {view === 'invoices' && <InvoiceList />}
      {view === 'statements' && <StatementList />}
      {view === 'entries' && <Entries />}
    </Page>
  );
}

const KINDS: Readonly<Record<BookEntry['kind'], string>> = {
  credit: 'Credit',
  test_credit: 'Test credit',
  service_credit: 'Service credit',
  credit_note: 'Credit note',
  reserve: 'Reserved',
  charge: 'Charged',
  refund: 'Refund',
};
const HEAD = [
  ...[
    'id',
    'at',
    'kind',
    'operation',
    'units',
    'amount_usd',
    'reserved_usd',
    'charged_usd',
    'balance_after_usd',
  ],
  ...['reservation_id', 'note'],
] as const;
const LIST_ENTRIES = ['Billing', 'listEntries'] as const;

/** The entries of the books: every movement of money. */
function Entries() {
  const [span, setSpan] = useState<Span>(() => spanOf('month', Date.now()));
  const bounds = { since: span.since, ...(span.until !== undefined && { until: span.until }) };
  return (
    <section className="panel wide-table" aria-labelledby="entries">
      <h2 id="entries">Entries</h2>
      <div className="filters">
        <SpanFields initial="month" onSpan={setSpan} />
      </div>
      <LongExport
        formats={['csv']}
        name="entries"
        head={HEAD}
        read={(query, signal) => account.listEntries({ ...bounds, ...query }, { signal })}
        rowsOf={({ entries }) => entries}
        operation={LIST_ENTRIES}
      />
      <ListPage
        caption="Entries"
        queryKey={['entries', span]}
        read={(query, signal) => account.listEntries({ ...bounds, ...query }, { signal })}
        rowsOf={({ entries }) => entries}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        operation={LIST_ENTRIES}
        empty={{
          title: 'No entries in this period',
          children: <p>Credits and the cost of wallet operations are listed here.</p>,
        }}
      />
    </section>
  );
}

const COLUMNS: readonly Column<BookEntry>[] = [
  { title: 'Time', share: 1.8, show: ({ at }) => <Time at={at} /> },
  {
    title: 'Entry',
    share: 1.6,
    show: ({ kind, operation, note }) => (
      <span className="cell-lines">
        <span>{KINDS[kind]}</span>
        <small className="muted">
          {[operation && priceRowName(operation), note].filter(Boolean).join(', ')}
        </small>
      </span>
    ),
  },
  {
    title: 'Units',
    kind: 'number',
    share: 0.7,
    show: ({ units }) => units !== undefined && <Count value={units} />,
  },
  { title: 'Amount', kind: 'number', show: ({ amount_usd }) => <Usd amount={amount_usd} /> },
  { title: 'Reserved', kind: 'number', show: ({ reserved_usd }) => <Usd amount={reserved_usd} /> },
  {
    title: 'Balance after',
    kind: 'number',
    show: ({ balance_after_usd }) => balance_after_usd !== undefined && <Usd amount={balance_after_usd} />,
  },
];
