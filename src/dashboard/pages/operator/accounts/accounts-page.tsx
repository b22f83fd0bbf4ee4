import { useState } from 'react';
import { Link, useLocation, useParams, useSearchParams } from 'wouter';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ListedAccount } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { Select, Field } from '../../../parts/field.tsx';
import { ListPage } from '../../../parts/list-page.tsx';
import { Page } from '../../../parts/page.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import { SearchForm } from '../../../parts/search-form.tsx';
import type { Column } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { useScopes } from '../../../session/session.tsx';
import { ACCOUNTS_KEY } from '../keys.ts';
import { AccountPage } from './account-page.tsx';
import './accounts-page.css';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import { PlanSelect } from '../plan-select.tsx';

const LIST_ACCOUNTS = ['Operators', 'listAccounts'] as const;
const ALL = 'all';
const IN_NEED = 'needs_credit_limit';
const CHOICES = [
  { value: ALL, text: 'All' },
  { value: IN_NEED, text: 'Needing a credit limit' },
] as const;
/** Parameter of the address: the filter of accounts. */
const ONLY = 'only';

/** The accounts of the server, or the one that the address names. */
export function AccountsPage() {
  const { id } = useParams();
  return id === undefined ? <AccountList /> : <AccountPage key={id} id={id} />;
}

function AccountList() {
  const [name, setName] = useState('');
  const [isCreating, setCreating] = useState(false);
  const [, go] = useLocation();
  const [params, setParams] = useSearchParams();
  const isInNeed = params.get(ONLY) === IN_NEED;
  const filters = { ...(name !== '' && { name }), ...(isInNeed && ({ only: IN_NEED } as const)) };
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
        <div className="account-filters">
          <SearchForm label="Name contains" maxLength={63} onSearch={setName} />
          <Select
            label="Show"
            value={isInNeed ? IN_NEED : ALL}
            options={CHOICES}
            onChange={({ target }) => setParams(target.value === IN_NEED ? { [ONLY]: IN_NEED } : {})}
          />
        </div>
        <ListPage
          caption="Accounts"
          queryKey={[...ACCOUNTS_KEY, filters]}
          read={(query, signal) => account.listAccounts({ ...query, ...filters }, { signal })}
          rowsOf={({ accounts }) => accounts}
          columns={COLUMNS}
          keyOf={({ account_id }) => account_id}
          operation={LIST_ACCOUNTS}
          empty={emptyOf(name, isInNeed)}
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

function emptyOf(name: string, isInNeed: boolean) {
  if (name !== '') return { title: `No name contains “${name}”` };
  return isInNeed
    ? { title: 'No account needs a credit limit' }
    : { title: 'No accounts', children: <p>Create one for each customer or team.</p> };
}

const COLUMNS: readonly Column<ListedAccount>[] = [
  {
    title: 'Name',
    share: 1.6,
    show: ({ account_id, name, operates, needs_credit_limit }) => (
      <span>
        <Link href={`/operator/accounts/${account_id}`}>{name}</Link>{' '}
        {operates && <Badge tone="warn">operator</Badge>}{' '}
        {needs_credit_limit && <Badge tone="bad">needs a credit limit</Badge>}
      </span>
    ),
  },
  { title: 'Plan', show: ({ plan }) => plan },
  { title: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
];

type CreateAccountDialogProps = {
  readonly onCreated: (id: string) => void;
  readonly onClose: () => void;
};

/** Creates an account: its name and its plan. */
function CreateAccountDialog({ onCreated, onClose }: CreateAccountDialogProps) {
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: Parameters<typeof account.createAccount>[0]) =>
      withFreshFactor(() => account.createAccount(body)),
    onSuccess: ({ account_id }) => {
      void client.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      onCreated(account_id);
    },
  });
  return (
    <FormDialog
      title="Create an account"
      description="It has no members yet: create a set-up link for its first owner on its page."
      action="Create"
      call={create}
      operation={['Operators', 'createAccount']}
      onSubmit={(form) => {
        const plan = readForm(form, 'plan');
        create.mutate({ name: readForm(form, 'name').trim(), ...(plan !== '' && { plan }) });
      }}
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        hint="Lower-case letters, digits, and . _ - between them, such as acme."
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <PlanSelect />
    </FormDialog>
  );
}
