import { Link, useSearchParams } from 'wouter';
import type { OperatedInvoice } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { ListPage } from '../../../parts/list-page.tsx';
import { LongExport } from '../../../parts/long-export.tsx';
import { Page } from '../../../parts/page.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import type { Column } from '../../../parts/table.tsx';
import { invoiceColumns } from '../../billing/invoices/invoice-columns.tsx';
import { OPERATED_INVOICES_KEY } from '../keys.ts';
import { AccountFilter } from './account-filter.tsx';

const LIST_INVOICES = ['Operators', 'listAllInvoices'] as const;
const HEAD = [
  ...['number', 'account_id', 'account_name', 'month', 'issued_at', 'due_on'],
  ...['total_usd', 'credited_usd', 'outstanding_usd'],
] as const;
/** Parameter of the address: the id of the account whose invoices are shown. */
const ACCOUNT = 'account';

/** The invoices of all accounts, newest first, or those of one. */
export function AllInvoices() {
  const [params, setParams] = useSearchParams();
  const accountId = params.get(ACCOUNT) ?? undefined;
  const filter = accountId === undefined ? {} : { account_id: accountId };
  const read = (query: { readonly limit: number; readonly cursor?: string }, signal: AbortSignal) =>
    account.listAllInvoices({ ...query, ...filter }, { signal });
  return (
    <Page title="Invoices" lead="Invoices of every account of this server.">
      <section className="panel wide-table" aria-labelledby="all-invoices">
        <div className="panel-head">
          <h2 id="all-invoices">Invoices</h2>
          <ReferenceLink operation={LIST_INVOICES} />
        </div>
        <AccountFilter
          key={accountId}
          accountId={accountId}
          onAccount={(id) => setParams(id === undefined ? {} : { [ACCOUNT]: id })}
        />
        <LongExport
          formats={['csv']}
          name="invoices"
          head={HEAD}
          read={read}
          rowsOf={({ invoices }) => invoices}
          operation={LIST_INVOICES}
        />
        <ListPage
          caption="Invoices"
          queryKey={[...OPERATED_INVOICES_KEY, { accountId }]}
          read={read}
          rowsOf={({ invoices }) => invoices}
          columns={COLUMNS}
          keyOf={({ number }) => number}
          operation={LIST_INVOICES}
          empty={{
            title: 'No invoices',
            children: <p>Accounts that are invoiced get one for each month, some minutes after its end.</p>,
          }}
        />
      </section>
    </Page>
  );
}

const COLUMNS: readonly Column<OperatedInvoice>[] = [
  ...invoiceColumns('/operator/invoices').slice(0, 1),
  {
    title: 'Account',
    share: 1.2,
    show: ({ account_id, account_name }) => (
      <span>
        <Link href={`/operator/accounts/${account_id}`}>{account_name}</Link>
      </span>
    ),
  },
  ...invoiceColumns('/operator/invoices').slice(1),
];
