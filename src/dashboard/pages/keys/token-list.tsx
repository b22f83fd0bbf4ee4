import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccessToken } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Secret } from '../../parts/secret.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { useScopes } from '../../session/session.tsx';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { LastUse } from './last-use.tsx';
import { StateBadge } from './state-badge.tsx';

type Shown =
  | { readonly kind: 'create' }
  | { readonly kind: 'revoke'; readonly token: AccessToken }
  | { readonly kind: 'secret'; readonly name: string; readonly accessToken: string };

const TOKENS = ['tokens'] as const;

/** The access tokens of the account, and what can be done with them. */
export function TokenList() {
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
