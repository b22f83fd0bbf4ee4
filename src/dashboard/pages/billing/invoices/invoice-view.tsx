import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { InvoiceDetails } from '../../../../../generated/account/types.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Page } from '../../../parts/page.tsx';
import { InvoiceDownloads } from './invoice-downloads.tsx';
import { InvoicePaper } from './invoice-paper.tsx';

type InvoiceViewProps = {
  readonly number: string;
  readonly read: Pick<UseQueryResult<InvoiceDetails>, 'data' | 'error' | 'isPending' | 'refetch'>;
  /** The operation that reads it, by its tag and name in the reference. */
  readonly operation: readonly [tag: string, name: string];
  /** Leads to the list that it is in. */
  readonly back: ReactNode;
  /** Buttons beside those that print it and save it. All are there from the beginning: what comes later would move what is below. */
  readonly actions?: ReactNode;
  /** Stands below the invoice, and is not printed. */
  readonly children?: ReactNode;
};

/** The page of an invoice: what prints it and saves it, the invoice as it is on paper, and what is below. */
export function InvoiceView({ number, read, operation, back, actions, children }: InvoiceViewProps) {
  const { data, error, isPending, refetch } = read;
  return (
    <Page
      title={`Invoice ${number}`}
      actions={
        <>
          {actions}
          <InvoiceDownloads details={data} />
          <Button type="button" kind="primary" disabled={data === undefined} onClick={() => window.print()}>
            Print
          </Button>
        </>
      }
    >
      <p className="not-printed">{back}</p>
      <ErrorNotice error={error} operation={operation}>
        <Button type="button" onClick={() => void refetch()}>
          Try again
        </Button>
      </ErrorNotice>
      {isPending && (
        <div className="panel billing-wait" aria-busy="true">
          <span className="skeleton skeleton-title" />
          <span className="skeleton" />
          <span className="skeleton" />
        </div>
      )}
      {data !== undefined && <InvoicePaper details={data} />}
      {children}
    </Page>
  );
}
