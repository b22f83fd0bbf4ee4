import { account } from '../../../calls/account-client.ts';
import { ListPage } from '../../../parts/list-page.tsx';
import { LongExport } from '../../../parts/long-export.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import { INVOICES_KEY } from '../keys.ts';
import { invoiceColumns } from './invoice-columns.tsx';

const LIST_INVOICES = ['Billing', 'listInvoices'] as const;
const HEAD = [
  ...['number', 'month', 'issued_at', 'due_on'],
  ...['total_usd', 'credited_usd', 'outstanding_usd'],
] as const;
const COLUMNS = invoiceColumns('/billing/invoices');

/** The invoices of the account, newest first. */
export function InvoiceList() {
  return (
    <section className="panel" aria-labelledby="invoices">
      <div className="panel-head">
        <h2 id="invoices">Invoices</h2>
        <ReferenceLink operation={LIST_INVOICES} />
      </div>
      <LongExport
        formats={['csv']}
        name="invoices"
        head={HEAD}
        read={(query, signal) => account.listInvoices(query, { signal })}
        rowsOf={({ invoices }) => invoices}
        operation={LIST_INVOICES}
      />
      <ListPage
        caption="Invoices"
        queryKey={INVOICES_KEY}
        read={(query, signal) => account.listInvoices(query, { signal })}
        rowsOf={({ invoices }) => invoices}
        columns={COLUMNS}
        keyOf={({ number }) => number}
        operation={LIST_INVOICES}
        empty={{
          title: 'No invoices',
          children: (
            <p>
              An account that is invoiced gets one for each month, some minutes after its end. What was
              charged to the balance is on the statements.
            </p>
          ),
        }}
      />
    </section>
  );
}
