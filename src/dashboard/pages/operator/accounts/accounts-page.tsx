import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import type { ListedAccount } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { ListPage } from '../../../parts/list-page.tsx';
import { Page } from '../../../parts/page.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import { SearchForm } from '../../../parts/search-form.tsx';
import type { Column } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { useScopes } from '../../../session/session.tsx';
import { ACCOUNTS_KEY } from '../keys.ts';
import { AccountPage } from './account-page.tsx';
import { CreateAccountDialog } from './create-account-dialog.tsx';

const LIST_ACCOUNTS = ['Operators', 'listAccounts'] as const;

/** The accounts of the server, or the one that the address names. */
export function AccountsPage() {
  const { id } = useParams();
  return id === undefined ? <AccountList /> : <AccountPage key={id} id={id} />;
}

function AccountList() {
  const [name, setName] = useState('');
  const [isCreating, setCreating] = useState(false);
  const [, go] = useLocation();
  const mayManage = useScopes('operator:manage');
  return (
    <Page
      title="Accounts"
      lead="Every account of this server."
      actions={
        mayManage && (
          <Button type="button" kind="primary" onClick={() => setCreating(true)}>
            Create an account
          </Button>
        )
      }
    >
      <section className="panel" aria-labelledby="accounts">
        <div className="panel-head">
          <h2 id="accounts">Accounts</h2>
          <ReferenceLink operation={LIST_ACCOUNTS} />
        </div>
        <SearchForm label="Name contains" maxLength={63} onSearch={setName} />
        <ListPage
          caption="Accounts"
          queryKey={[...ACCOUNTS_KEY, { name }]}
          read={(query, signal) =>
            account.listAccounts({ ...query, ...(name !== '' && { name }) }, { signal })
          }
          rowsOf={({ accounts }) => accounts}
          columns={COLUMNS}
          keyOf={({ account_id }) => account_id}
          operation={LIST_ACCOUNTS}
          empty={
            name === ''
              ? { title: 'No accounts', children: <p>Create one for each customer or team.</p> }
              : { title: `No name contains “${name}”` }
          }
        />
      </section>
      {isCreating && (
        <CreateAccountDialog
          onCreated={(id) => go(`/operator/accounts/${id}`)}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<ListedAccount>[] = [
  {
    title: 'Name',
    share: 1.6,
    show: ({ account_id, name, operates }) => (
      <span>
        <Link href={`/operator/accounts/${account_id}`}>{name}</Link>{' '}
        {operates && <Badge tone="warn">operator</Badge>}
      </span>
    ),
  },
  { title: 'Plan', show: ({ plan }) => plan },
  { title: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
];
