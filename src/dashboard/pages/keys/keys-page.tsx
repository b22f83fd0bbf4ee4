import { useParams } from 'wouter';
import { useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { KeyList, LastUse, StateBadge } from './key-list.tsx';
import type { AccessToken, CreateTokenRequest } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Secret } from '../../parts/secret.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { useScopes, useSession } from '../../session/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';

const TABS = [
  { href: '/keys', title: 'API keys' },
  { href: '/keys/tokens', title: 'Access tokens' },
];

/** API keys and access tokens of the account. */
export function KeysPage() {
  const { list } = useParams();
  if (list !== undefined && list !== 'tokens') return <NotFoundPage />;
  return (
    <Page
      title="Keys and tokens"
      lead="API keys give access to the ledger of a network, access tokens to the wallet and account services."
    >
      <Tabs label="Lists" tabs={TABS} />
      {list === undefined ? <KeyList /> : <TokenList />}
    </Page>
  );
}

type Shown =
  | { readonly kind: 'create' }
  | { readonly kind: 'revoke'; readonly token: AccessToken }
  | { readonly kind: 'secret'; readonly name: string; readonly accessToken: string };

const TOKENS = ['tokens'] as const;

/** The access tokens of the account, with their actions. */
function TokenList() {
  const [shown, setShown] = useState<Shown>();
  const mayManage = useScopes('tokens:manage');
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const close = () => setShown(undefined);
  const columns: readonly Column<AccessToken>[] = [
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 0.9,
      show: (token) =>
        mayManage &&
        token.state === 'active' && (
          <Button
            type="button"
            aria-label={`Revoke ${token.name}`}
            onClick={() => setShown({ kind: 'revoke', token })}
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <section className="panel" aria-labelledby="access-tokens">
      <div className="panel-head">
        <h2 id="access-tokens">Access tokens</h2>
        {mayManage && (
          <Button type="button" onClick={() => setShown({ kind: 'create' })}>
            Create a token
          </Button>
        )}
      </div>
      <ListPage
        caption="Access tokens"
        queryKey={TOKENS}
        read={(query, signal) => account.listTokens(query, { signal })}
        rowsOf={({ tokens }) => tokens}
        columns={columns}
        keyOf={({ token_id }) => token_id}
        operation={['Access tokens', 'listTokens']}
        empty={{ title: 'No tokens yet', children: <p>Create one to call the wallet or account service.</p> }}
      />
      {shown?.kind === 'create' && (
        <CreateTokenDialog
          onCreated={(name, accessToken) => {
            setShown({ kind: 'secret', name, accessToken });
            void client.invalidateQueries({ queryKey: TOKENS });
          }}
          onClose={close}
        />
      )}
      {shown?.kind === 'secret' && (
        <Dialog title={`Your token ${shown.name}`} onClose={close} isSticky>
          <Secret text={shown.accessToken} label="Copy the token" />
          <div className="actions">
            <Button type="button" kind="primary" onClick={close}>
              I have copied it
            </Button>
          </div>
        </Dialog>
      )}
      {shown?.kind === 'revoke' && (
        <ConfirmDialog
          title={`Revoke ${shown.token.name}?`}
          description={`Requests with the token ${shown.token.prefix}… are refused within a second. This cannot be undone.`}
          verb="Revoke the token"
          act={() => withFreshFactor(() => account.revokeToken(shown.token.token_id))}
          onDone={() => {
            close();
            void client.invalidateQueries({ queryKey: TOKENS });
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<AccessToken>[] = [
  {
    title: 'Name',
    show: ({ name, prefix }) => (
      <span className="cell-lines">
        <span>{name}</span>
        <code className="muted">{prefix}…</code>
      </span>
    ),
  },
  { title: 'State', show: (token) => <StateBadge of={token} /> },
  {
    title: 'Scopes',
    share: 1.6,
    show: ({ scopes }) => <span className="scope-list">{scopes.join(', ')}</span>,
  },
  { title: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Last used', show: (token) => <LastUse of={token} /> },
];

type CreateTokenDialogProps = {
  readonly onCreated: (name: string, accessToken: string) => void;
  readonly onClose: () => void;
};

const DAY = 86_400;

const EXPIRIES = [
  { value: String(DAY), text: 'In a day' },
  { value: String(30 * DAY), text: 'In 30 days' },
  { value: String(90 * DAY), text: 'In 90 days' },
  { value: String(365 * DAY), text: 'In a year' },
  { value: '', text: 'Never, until it is revoked' },
];

/** Creates an access token with a name, some of the member's scopes, and an expiry. */
function CreateTokenDialog({ onCreated, onClose }: CreateTokenDialogProps) {
  const { member, scopes: held } = useSession();
  // A token with a scope of operators may do what only owners may do in a session.
  const scopes = held.filter((scope) => member.role === 'owner' || !scope.startsWith('operator:'));
  const withFreshFactor = useFreshCall();
  const [isScopeMissing, setScopeMissing] = useState(false);
  const create = useMutation({
    mutationFn: (body: CreateTokenRequest) => withFreshFactor(() => account.createToken(body)),
    onSuccess: ({ name, access_token }) => onCreated(name, access_token),
  });
  const submit = (form: HTMLFormElement): void => {
    const marked = new FormData(form).getAll('scope');
    const chosen = scopes.filter((scope) => marked.includes(scope));
    const seconds = readForm(form, 'expiry');
    setScopeMissing(chosen.length === 0);
    if (chosen.length === 0) return;
    create.mutate({
      name: readForm(form, 'name').trim(),
      scopes: chosen,
      ...(seconds !== '' && { expires_in_seconds: Number(seconds) }),
    });
  };
  return (
    <FormDialog
      title="Create an access token"
      action="Create"
      call={create}
      operation={['Access tokens', 'createToken']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        hint="What uses it, such as payouts."
        maxLength={100}
        autoComplete="off"
        required
      />
      <fieldset className="choices">
        <legend>Scopes</legend>
        {scopes.map((scope) => (
          <label key={scope}>
            <input type="checkbox" name="scope" value={scope} />
            <code>{scope}</code>
          </label>
        ))}
        {isScopeMissing && (
          <p className="field-problem" role="alert">
            Choose at least one.
          </p>
        )}
      </fieldset>
      <Select name="expiry" label="It stops working" options={EXPIRIES} defaultValue={String(90 * DAY)} />
    </FormDialog>
  );
}
