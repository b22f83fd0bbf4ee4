import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Balance, BookEntry } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Count, Usd } from '../../parts/number.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { LongExport } from '../../parts/long-export.tsx';
import { type Span, spanOf } from './span.ts';
import { SpanFields } from './span-fields.tsx';

const FACTS: readonly { readonly title: string; readonly member: keyof Balance }[] = [
  { title: 'Available', member: 'available_usd' },
  { title: 'Balance', member: 'balance_usd' },
  { title: 'Credit limit', member: 'credit_limit_usd' },
  { title: 'Reserved', member: 'reserved_usd' },
  { title: 'Charged so far', member: 'charged_usd' },
];
const KINDS: Readonly<Record<BookEntry['kind'], string>> = {
  ...{
    credit: 'Credit',
    test_credit: 'Test credit',
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

/** The balance, and the entries of the books. */
export function Billing() {
  const own = useQuery({ queryKey: ['account'], queryFn: ({ signal }) => account.getAccount({ signal }) });
  const [span, setSpan] = useState<Span>(() => spanOf('month', Date.now()));
  const bounds = { since: span.since, ...(span.until !== undefined && { until: span.until }) };
  const balance = own.data?.balance;
  return (
    <>
      <section className="panel" aria-labelledby="balance">
        <h2 id="balance">Balance</h2>
        <ErrorNotice error={own.error} operation={['Account', 'getAccount']} />
        <dl className="limits">
          {FACTS.map(({ title, member }) => (
            <div key={member}>
              <dt>{title}</dt>
              <dd>{balance === undefined ? '…' : <Usd amount={balance[member]} />}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section className="panel" aria-labelledby="entries">
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
          operation={['Billing', 'listEntries']}
        />
        <ListPage
          caption="Entries"
          queryKey={['entries', span]}
          read={(query, signal) => account.listEntries({ ...bounds, ...query }, { signal })}
          rowsOf={({ entries }) => entries}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          operation={['Billing', 'listEntries']}
          empty={{
            title: 'No entries in this time',
            children: <p>Credits, and what wallet operations cost, are listed here.</p>,
          }}
        />
      </section>
    </>
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
        <small className="muted">{[operation, note].filter(Boolean).join(', ')}</small>
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
