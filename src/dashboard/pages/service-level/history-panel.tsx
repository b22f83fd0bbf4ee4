import type { PastMonth } from '../../../../generated/account/types.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Count, Usd } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { printMinutes, printPercent } from './print-minutes.ts';

type HistoryPanelProps = { readonly history: readonly PastMonth[]; readonly hasMoney: boolean };

/** The months that are over. */
export function HistoryPanel({ history, hasMoney }: HistoryPanelProps) {
  return (
    <section className="panel" aria-labelledby="history">
      <h2 id="history">Months before</h2>
      {history.length === 0 ? (
        <EmptyState title="No months yet">
          <p>A month is listed here when it is over.</p>
        </EmptyState>
      ) : (
        <Table
          caption="Months before"
          columns={hasMoney ? [...COLUMNS, CREDIT] : COLUMNS}
          rows={history}
          keyOf={({ month }) => month}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<PastMonth>[] = [
  { title: 'Month', show: ({ month }) => month },
  {
    title: 'Of',
    show: ({ of }) => (of === 'account' ? 'this account' : 'the service'),
  },
  {
    title: 'Available',
    kind: 'number',
    show: ({ availability_percent }) => <span>{printPercent(availability_percent)}</span>,
  },
  { title: 'Minutes', kind: 'number', show: ({ minutes }) => <Count value={minutes} /> },
  {
    title: 'Unavailable',
    kind: 'number',
    show: ({ unavailable_minutes }) => <span>{printMinutes(unavailable_minutes, 'up')}</span>,
  },
];

const CREDIT: Column<PastMonth> = {
  title: 'Given back',
  kind: 'number',
  show: ({ credit_usd }) => credit_usd !== undefined && <Usd amount={credit_usd} />,
};
