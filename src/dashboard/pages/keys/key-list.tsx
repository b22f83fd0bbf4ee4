import { useQueryClient, useMutation } from '@tanstack/react-query';
import { useState, useId } from 'react';
import type { ApiKey, AccessToken } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { useScopes, useSession } from '../../session/session.tsx';
import { OverlapDialog } from '../../parts/overlap-dialog.tsx';
import { SERVER_ADDRESS } from '../../calls/places.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Select } from '../../parts/field.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import { Secret } from '../../parts/secret.tsx';
import { keySnippets } from './snippets.ts';
import { CreateKeyDialog, EditKeyDialog } from './key-dialog.tsx';
import { Badge } from '../../parts/badge.tsx';
import { formatCount } from '../../parts/format-number.ts';

type Shown =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly key: ApiKey }
  | { readonly kind: 'secret'; readonly name: string; readonly apiKey: string };

const KEYS = ['keys'] as const;

/** The API keys of the account, with their actions. */
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
      share: 2,
      show: (key) =>
        mayManage && (
          <>
            {key.state === 'active' && (
              <>
                <Button
                  type="button"
                  aria-label={`Edit ${key.name}`}
                  onClick={() => setShown({ kind: 'edit', key })}
                >
                  Edit
                </Button>
                <Button
                  type="button"
                  aria-label={`Rotate ${key.name}`}
                  onClick={() => setShown({ kind: 'rotate', key })}
                >
                  Rotate
                </Button>
              </>
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
      {shown?.kind === 'edit' && (
        <EditKeyDialog
          apiKey={shown.key}
          onSaved={() => {
            close();
            void client.invalidateQueries({ queryKey: KEYS });
          }}
          onClose={close}
        />
      )}
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
    title: 'Limited to',
    show: (key) => {
      const { requests_per_second: perSecond, requests_per_day: perDay } = key;
      const rules = [
        ...key.allowed_methods,
        ...key.allowed_networks,
        ...key.allowed_origins,
        ...key.allowed_cidrs,
      ];
      const limits = [
        ...(perSecond === undefined ? [] : [`${formatCount(perSecond)} a second`]),
        ...(perDay === undefined ? [] : [`${formatCount(perDay)} a day`]),
      ];
      if (rules.length + limits.length === 0) return <span className="muted">nothing</span>;
      return (
        <span className="cell-lines">
          {rules.map((rule) => (
            <code key={rule}>{rule}</code>
          ))}
          {limits.map((limit) => (
            <span key={limit}>{limit}</span>
          ))}
        </span>
      );
    },
  },
  { title: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Last used', show: (key) => <LastUse of={key} /> },
];

type RotateKeyDialogProps = {
  readonly apiKey: ApiKey;
  readonly onRotated: (name: string, apiKey: string) => void;
  readonly onClose: () => void;
};

/** Replaces a key with one of the same name and rules. The old key continues to work for the chosen time. */
function RotateKeyDialog({ apiKey, onRotated, onClose }: RotateKeyDialogProps) {
  const withFreshFactor = useFreshCall();
  const rotate = useMutation({
    mutationFn: (overlap_seconds: number) =>
      withFreshFactor(() => account.rotateKey(apiKey.key_id, { overlap_seconds })),
    onSuccess: ({ name, api_key }) => onRotated(name, api_key),
  });
  return (
    <OverlapDialog
      title={`Rotate ${apiKey.name}`}
      description="A new key with the same name and rules replaces it."
      label="The old key stops working"
      hint="Both keys work until then, so that you can switch without downtime."
      action="Rotate"
      maxDays={30}
      call={rotate}
      operation={['API keys', 'rotateKey']}
      onReplace={rotate.mutate}
      onClose={onClose}
    />
  );
}

type NewKeyDialogProps = { readonly name: string; readonly apiKey: string; readonly onClose: () => void };

/** Shows a new key once, with programs that use it on a network of this server. */
function NewKeyDialog({ name, apiKey, onClose }: NewKeyDialogProps) {
  const { networks } = useSession();
  const heading = useId();
  const [rpcPath, setRpcPath] = useState(networks[0]?.rpc_path ?? '');
  const [title, setTitle] = useState('@solana/kit');
  const snippets = keySnippets({ baseUrl: SERVER_ADDRESS, rpcPath, apiKey });
  const snippet = snippets.find((each) => each.title === title);
  return (
    <Dialog title={`Your key ${name}`} onClose={onClose} isSticky>
      <Secret text={apiKey} label="Copy the key" />
      {networks.length > 0 && (
        <section className="stack" aria-labelledby={heading}>
          <h3 id={heading}>Use it</h3>
          {networks.length > 1 && (
            <Select
              label="Network"
              value={rpcPath}
              onChange={(event) => setRpcPath(event.currentTarget.value)}
              options={networks.map((network) => ({
                value: network.rpc_path,
                text: `${network.name}, ${network.environment}`,
              }))}
            />
          )}
          <Select
            label="With"
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
            options={snippets.map((each) => ({ value: each.title, text: each.title }))}
          />
          {snippet !== undefined && (
            <Snippet code={snippet.code} label={`Copy the program for ${snippet.title}`} />
          )}
        </section>
      )}
      <div className="actions">
        <Button type="button" kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}

/** The time and origin of the last use of a key or token. */
export function LastUse({ of: { last_used_at, last_used_address } }: { readonly of: Used }) {
  if (last_used_at === undefined) return <span className="muted">never</span>;
  return (
    <span className="cell-lines">
      <Time at={last_used_at} />
      {last_used_address !== undefined && <span className="muted">from {last_used_address}</span>}
    </span>
  );
}

type Used = { readonly last_used_at?: string; readonly last_used_address?: string };

const TONES = { active: 'good', rotated: 'warn', expired: 'off', revoked: 'bad' } as const;

/** The state of a key or token, with its time. */
export function StateBadge({ of }: { readonly of: ApiKey | AccessToken }) {
  const at = of.revoked_at ?? of.expires_at;
  const isOver = of.state === 'revoked' || of.state === 'expired';
  return (
    <span className="cell-lines">
      <span>
        <Badge tone={TONES[of.state]}>{of.state}</Badge>
      </span>
      {at !== undefined && (
        <span className="scope-list">
          {isOver ? 'since' : 'until'} <Time at={at} />
        </span>
      )}
    </span>
  );
}
