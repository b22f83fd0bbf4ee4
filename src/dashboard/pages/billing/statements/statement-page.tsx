import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Button } from '../../../parts/button.tsx';
import { formatMonth } from '../../../parts/calendar.ts';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Page } from '../../../parts/page.tsx';
import { saveFile } from '../../../parts/save-file.ts';
import { NotFoundPage } from '../../not-found-page.tsx';
import { printStatements, LIST_STATEMENTS, statementsQuery } from './print-statements.ts';
import { StatementPaper } from './statement-paper.tsx';

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The statement of a month, to read, print and download. */
export function StatementPage({ month }: { readonly month: string }) {
  const list = useQuery(statementsQuery);
  const statement = list.data?.find((each) => each.month === month);
  if (!MONTH.test(month) || (list.data !== undefined && statement === undefined)) return <NotFoundPage />;
  return (
    <Page
      title={`Statement, ${formatMonth(month)}`}
      actions={
        <>
          <Button
            type="button"
            disabled={statement === undefined}
            onClick={() =>
              saveFile(`statement-${month}.csv`, 'text/csv', [
                printStatements(statement === undefined ? [] : [statement]),
              ])
            }
          >
            Download CSV
          </Button>
          <Button
            type="button"
            kind="primary"
            disabled={statement === undefined}
            onClick={() => window.print()}
          >
            Print
          </Button>
        </>
      }
    >
      <p className="not-printed">
        <Link href="/billing/statements">All statements</Link>
      </p>
      <ErrorNotice error={list.error} operation={LIST_STATEMENTS}>
        <Button type="button" onClick={() => void list.refetch()}>
          Try again
        </Button>
      </ErrorNotice>
      {list.isPending && (
        <div className="panel billing-wait" aria-busy="true">
          <span className="skeleton skeleton-title" />
          <span className="skeleton" />
        </div>
      )}
      {statement !== undefined && <StatementPaper statement={statement} />}
    </Page>
  );
}
