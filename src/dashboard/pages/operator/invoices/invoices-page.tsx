import { useParams, Link, useSearchParams } from 'wouter';
import { useMutation, useQuery } from '@tanstack/react-query';
import { OperatedInvoicePage } from './operated-invoice-page.tsx';
import type { OperatedInvoice, ListedAccount } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { ListPage } from '../../../parts/list-page.tsx';
import { LongExport } from '../../../parts/long-export.tsx';
import { Page } from '../../../parts/page.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import type { Column } from '../../../parts/table.tsx';
import { invoiceColumns } from '../../billing/invoices/invoice-columns.tsx';
import { OPERATED_INVOICES_KEY, accountKey } from '../keys.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { SearchForm } from '../../../parts/search-form.tsx';

/** The invoices of all accounts, or the one that the address names. */
export function InvoicesPage() {
  const { number } = useParams();
  return number === undefined ? <AllInvoices /> : <OperatedInvoicePage key={number} number={number} />;
}

const LIST_INVOICES = ['Operators', 'listAllInvoices'] as const;
const HEAD = [
  ...['number', 'account_id', 'account_name', 'month', 'issued_at', 'due_on'],
  ...['total_usd', 'credited_usd', 'outstanding_usd'],
] as const;
/** Parameter of the address: the id of the account whose invoices are shown. */
const ACCOUNT = 'account';

/** The invoices of all accounts, newest first, or those of one. */
function AllInvoices() {
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

type AccountFilterProps = {
  /** The chosen account; undefined: all. */
  readonly accountId: string | undefined;
  readonly onAccount: (accountId: string | undefined) => void;
};

/** Most accounts that are offered when several names match the search. */
const OFFERED = 20;
const LONGEST_NAME = 63;
const LIST_ACCOUNTS = ['Operators', 'listAccounts'] as const;

/** Chooses an account by its name or a part of it. */
function AccountFilter({ accountId, onAccount }: AccountFilterProps) {
  const chosen = useQuery({
    queryKey: accountKey(accountId ?? ''),
    queryFn: ({ signal }) => account.readAccount(accountId ?? '', { signal }),
    enabled: accountId !== undefined,
  });
  const search = useMutation({
    mutationFn: async (name: string) => ({
      name,
      found: (await account.listAccounts({ name, limit: OFFERED })).accounts,
    }),
    onSuccess: ({ name, found }) => {
      const only = onlyAccount(name, found);
      if (only !== undefined) onAccount(only.account_id);
    },
  });
  return (
    <div className="stack">
      <SearchForm
        label="Account name"
        maxLength={LONGEST_NAME}
        onSearch={(name) => (name === '' ? onAccount(undefined) : search.mutate(name))}
      />
      <ErrorNotice error={search.error} operation={LIST_ACCOUNTS} />
      {search.data !== undefined && <Offered {...search.data} onAccount={onAccount} />}
      {accountId !== undefined && (
        <div className="search-form">
          <p role="status">
            Invoices of <strong>{chosen.data?.name ?? '…'}</strong>
          </p>
          <Button type="button" kind="quiet" onClick={() => onAccount(undefined)}>
            Show all
          </Button>
        </div>
      )}
    </div>
  );
}

type OfferedProps = {
  readonly name: string;
  readonly found: readonly ListedAccount[];
  readonly onAccount: (accountId: string) => void;
};

/** The accounts to choose from, or a notice that none matches. */
function Offered({ name, found, onAccount }: OfferedProps) {
  if (onlyAccount(name, found) !== undefined) return null;
  if (found.length === 0) return <p role="status">No name contains “{name}”.</p>;
  return (
    <div role="status">
      <p>Several names contain “{name}”:</p>
      {found.map(({ account_id, name: other }) => (
        <Button key={account_id} type="button" kind="quiet" onClick={() => onAccount(account_id)}>
          {other}
        </Button>
      ))}
    </div>
  );
}

/** The account with exactly this name, or the only one whose name contains it. */
function onlyAccount(name: string, found: readonly ListedAccount[]): ListedAccount | undefined {
  return found.find((each) => each.name === name) ?? (found.length === 1 ? found[0] : undefined);
}
