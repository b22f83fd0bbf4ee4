import { useState } from 'react';
import type { BookEntry } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { ListPage } from '../../parts/list-page.tsx';
import { Count, Usd } from '../../parts/number.tsx';
import { priceRowName } from '../../parts/price-row.ts';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { LongExport } from '../../parts/long-export.tsx';
import { type Span, spanOf } from '../usage/span.ts';
import { SpanFields } from '../usage/span-fields.tsx';

const KINDS: Readonly<Record<BookEntry['kind'], string>> = {
  ...{
    credit: 'Credit',
    test_credit: 'Test credit',
    service_credit: 'Service credit',
    credit_note: 'Credit note',
    reserve: 'Reserved',
    charge: 'Charged',
    refund: 'Given back',
  },
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
export function Entries() {
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
          title: 'No entries in this time',
          children: <p>Credits, and what wallet operations cost, are listed here.</p>,
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
