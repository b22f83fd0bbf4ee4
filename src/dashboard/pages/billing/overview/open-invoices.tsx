import { Link } from 'wouter';
import type { ListedInvoice } from '../../../../../generated/account/types.ts';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Money } from '../../../parts/number.tsx';
import { Table } from '../../../parts/table.tsx';
import { microOf } from '../../../parts/usd.ts';
import { invoiceColumns } from '../invoices/invoice-columns.tsx';
import { isOpen } from '../invoices/invoice-standing.ts';

type OpenInvoicesProps = {
  /** The newest invoices, newest first. */
  readonly invoices: readonly ListedInvoice[] | undefined;
  readonly error: unknown;
};

const COLUMNS = invoiceColumns('/billing/invoices');

/** The invoices that are to pay, the oldest first, and their sum. */
export function OpenInvoices({ invoices, error }: OpenInvoicesProps) {
  const open = (invoices ?? []).filter(isOpen).toReversed();
  const owed = open.reduce((sum, { outstanding_usd }) => sum + microOf(outstanding_usd), 0n);
  return (
    <section className="panel" aria-labelledby="open-invoices">
      <div className="panel-head">
        <h2 id="open-invoices">Invoices to pay</h2>
        <Link href="/billing/invoices">All invoices</Link>
      </div>
      <ErrorNotice error={error} operation={['Billing', 'listInvoices']} />
      {invoices !== undefined && open.length === 0 && <p className="muted">Nothing is left to pay.</p>}
      {open.length > 0 && (
        <>
          <Table caption="Invoices to pay" columns={COLUMNS} rows={open} keyOf={({ number }) => number} />
          <p>
            Together{' '}
            <strong>
              <Money microUsd={owed} />
            </strong>
            . How to pay is on each invoice; deposits pay the oldest first.
          </p>
        </>
      )}
    </section>
  );
}
