import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Statement } from '../../../../../generated/account/types.ts';
import { Button } from '../../../parts/button.tsx';
import { formatMonth } from '../../../parts/calendar.ts';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Usd } from '../../../parts/number.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import { saveFile } from '../../../parts/save-file.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import { printStatements, LIST_STATEMENTS, statementsQuery } from './print-statements.ts';

const WAITING_ROWS = 3;

/** A statement for each UTC month, newest first. */
export function StatementList() {
  const list = useQuery(statementsQuery);
  const { data: statements = [] } = list;
  return (
    <section className="panel" aria-labelledby="statements" aria-busy={list.isFetching}>
      <div className="panel-head">
        <h2 id="statements">Statements</h2>
        <div className="actions">
          <ReferenceLink operation={LIST_STATEMENTS} />
          <Button
            type="button"
            disabled={statements.length === 0}
            onClick={() => saveFile('statements.csv', 'text/csv', [printStatements(statements)])}
          >
            Download CSV
          </Button>
        </div>
      </div>
      <p className="field-hint">
        Movements count when they were booked, and units of an invoice when their request started, so the two
        may differ by a few requests at the end of a month. The first row is the current month, up to now.
      </p>
      <ErrorNotice error={list.error} operation={LIST_STATEMENTS}>
        <Button type="button" onClick={() => void list.refetch()}>
          Try again
        </Button>
      </ErrorNotice>
      <Table
        caption="Statements"
        columns={COLUMNS}
        rows={statements}
        keyOf={({ month }) => month}
        waitingRows={list.isPending ? WAITING_ROWS : 0}
      />
    </section>
  );
}

const COLUMNS: readonly Column<Statement>[] = [
  {
    title: 'Month (UTC)',
    share: 1.3,
    show: ({ month }) => <Link href={`/billing/statements/${month}`}>{formatMonth(month)}</Link>,
  },
  { title: 'Opening', kind: 'number', show: ({ opening_usd }) => <Usd amount={opening_usd} /> },
  { title: 'Deposits', kind: 'number', show: ({ deposits_usd }) => <Usd amount={deposits_usd} /> },
  { title: 'Refunded', kind: 'number', show: ({ given_back_usd }) => <Usd amount={given_back_usd} /> },
  { title: 'Charged', kind: 'number', show: ({ charged_usd }) => <Usd amount={charged_usd} /> },
  { title: 'Closing', kind: 'number', show: ({ closing_usd }) => <Usd amount={closing_usd} /> },
];
