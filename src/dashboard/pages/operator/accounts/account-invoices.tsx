import { Link } from 'wouter';
import { account } from '../../../calls/account-client.ts';
import { ListPage } from '../../../parts/list-page.tsx';
import { invoiceColumns } from '../../billing/invoices/invoice-columns.tsx';
import { OPERATED_INVOICES_KEY } from '../keys.ts';

const COLUMNS = invoiceColumns('/operator/invoices');
const SHOWN = 6;

/** The newest invoices of an account. */
export function AccountInvoices({ accountId }: { readonly accountId: string }) {
  return (
    <section className="panel" aria-labelledby="invoices">
      <div className="panel-head">
        <h2 id="invoices">Invoices</h2>
        <Link href={`/operator/invoices?account=${accountId}`}>All of its invoices</Link>
      </div>
      <ListPage
        caption="Invoices"
        queryKey={[...OPERATED_INVOICES_KEY, { accountId }]}
        read={(query, signal) => account.listAllInvoices({ ...query, account_id: accountId }, { signal })}
        rowsOf={({ invoices }) => invoices}
        columns={COLUMNS}
        keyOf={({ number }) => number}
        operation={['Operators', 'listAllInvoices']}
        empty={{ title: 'No invoices' }}
        limit={SHOWN}
      />
    </section>
  );
}
