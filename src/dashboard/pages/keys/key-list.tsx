import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { useScopes } from '../../session/session.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { LastUse } from './last-use.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import { StateBadge } from './state-badge.tsx';

type Shown =
  | { readonly kind: 'create' }
  | { readonly kind: 'rotate' | 'revoke'; readonly key: ApiKey }
  | { readonly kind: 'secret'; readonly name: string; readonly apiKey: string };

const KEYS = ['keys'] as const;

/** The keys of the account, and what can be done with them. */
export function KeyList() {
  const [shown, setShown] = useState<Shown>();
  const mayManage = useScopes('keys:manage');
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const close = () => setShown(undefined);
  const onSecret = (name: string, apiKey: string): void => {
    setShown({ kind: 'secret', name, apiKey });
    void client.invalidateQueries({ queryKey: KEYS });
  };
  const columns: readonly Column<ApiKey>[] = [
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 1.3,
      show: (key) =>
        mayManage && (
          <>
            {key.state === 'active' && (
              <Button
                type="button"
                aria-label={`Rotate ${key.name}`}
                onClick={() => setShown({ kind: 'rotate', key })}
              >
                Rotate
              </Button>
            )}
            {(key.state === 'active' || key.state === 'rotated') && (
              <Button
                type="button"
                aria-label={`Revoke ${key.name}`}
                onClick={() => setShown({ kind: 'revoke', key })}
              >
                Revoke
              </Button>
            )}
          </>
        ),
    },
  ];
  return (
    <section className="panel" aria-labelledby="api-keys">
      <div className="panel-head">
        <h2 id="api-keys">API keys</h2>
        {mayManage && (
          <Button type="button" kind="primary" onClick={() => setShown({ kind: 'create' })}>
            Create a key
          </Button>
        )}
      </div>
      <ListPage
        caption="API keys"
        queryKey={KEYS}
        read={(query, signal) => account.listKeys(query, { signal })}
        rowsOf={({ keys }) => keys}
        columns={columns}
        keyOf={({ key_id }) => key_id}
        operation={['API keys', 'listKeys']}
        empty={{ title: 'No keys yet', children: <p>Create one to call a network.</p> }}
      />
      {shown?.kind === 'create' && <CreateKeyDialog onCreated={onSecret} onClose={close} />}
      {shown?.kind === 'rotate' && (
        <RotateKeyDialog apiKey={shown.key} onRotated={onSecret} onClose={close} />
      )}
      {shown?.kind === 'secret' && <NewKeyDialog name={shown.name} apiKey={shown.apiKey} onClose={close} />}
      {shown?.kind === 'revoke' && (
        <ConfirmDialog
          title={`Revoke ${shown.key.name}?`}
          description={`Requests with the key ${shown.key.prefix}… are refused within a second. This cannot be undone.`}
          verb="Revoke the key"
          act={() => withFreshFactor(() => account.revokeKey(shown.key.key_id))}
          onDone={() => {
            close();
            void client.invalidateQueries({ queryKey: KEYS });
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    title: 'Name',
    show: ({ name, prefix }) => (
      <span className="cell-lines">
        <span>{name}</span>
        <code className="muted">{prefix}…</code>
      </span>
    ),
  },
  { title: 'State', show: (key) => <StateBadge of={key} /> },
  {
    title: 'May be used from',
    show: ({ allowed_origins, allowed_cidrs }) => {
      const rules = [...allowed_origins, ...allowed_cidrs];
      return (
        <span className="cell-lines">
          {rules.length === 0 ? 'anywhere' : rules.map((rule) => <code key={rule}>{rule}</code>)}
        </span>
      );
    },
  },
  { title: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Last used', show: (key) => <LastUse of={key} /> },
];
