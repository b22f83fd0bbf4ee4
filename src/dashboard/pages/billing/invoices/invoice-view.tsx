import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { InvoiceDetails } from '../../../../../generated/account/types.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Page } from '../../../parts/page.tsx';
import { InvoicePaper } from './invoice-paper.tsx';
import { printInvoiceCsv } from '../../../../../runtime/invoice-csv.ts';
import { saveFile } from '../../../parts/save-file.ts';

type InvoiceViewProps = {
  readonly number: string;
  readonly read: Pick<UseQueryResult<InvoiceDetails>, 'data' | 'error' | 'isPending' | 'refetch'>;
  /** The operation that reads it, by its tag and name in the reference. */
  readonly operation: readonly [tag: string, name: string];
  /** The link to its list. */
  readonly back: ReactNode;
  /** Buttons next to print and save. All are rendered from the beginning, so that nothing below moves. */
  readonly actions?: ReactNode;
  /** Content below the invoice that is not printed. */
  readonly children?: ReactNode;
};

/** The page of an invoice: buttons to print and save it, the invoice as printed, and further content. */
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

/** Buttons that save an invoice with its credit notes, once it is loaded. */
function InvoiceDownloads({ details }: { readonly details: InvoiceDetails | undefined }) {
  const save = (ending: string, type: string, print: (details: InvoiceDetails) => string) => (): void => {
    if (details !== undefined) saveFile(`${details.invoice.number}.${ending}`, type, [print(details)]);
  };
  const isReading = details === undefined;
  return (
    <>
      <Button type="button" disabled={isReading} onClick={save('json', 'application/json', printJson)}>
        Download JSON
      </Button>
      <Button type="button" disabled={isReading} onClick={save('csv', 'text/csv', printInvoiceCsv)}>
        Download CSV
      </Button>
    </>
  );
}

function printJson(details: InvoiceDetails): string {
  return `${JSON.stringify(details, undefined, 2)}\n`;
}
