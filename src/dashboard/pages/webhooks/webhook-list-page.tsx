import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Webhook } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { SERVER_ADDRESS } from '../../calls/places.ts';
import { Button } from '../../parts/button.tsx';
import { Count } from '../../parts/number.tsx';
import { Page } from '../../parts/page.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import type { Column } from '../../parts/table.tsx';
import { WholeList } from '../../parts/whole-list.tsx';
import { useScopes } from '../../session/session.tsx';
import { WebhookBadge } from './webhook-badge.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WEBHOOKS } from './webhook-keys.ts';
import { WebhookSecret } from './webhook-secret.tsx';

const LIST_WEBHOOKS = ['Webhooks', 'listWebhooks'] as const;

type Shown =
  | { readonly kind: 'create' }
  | { readonly kind: 'secret'; readonly name: string; readonly secret: string };

/** The webhooks of the account. */
export function WebhookListPage() {
  const [shown, setShown] = useState<Shown>();
  const mayManage = useScopes('webhooks:manage');
  const client = useQueryClient();
  const close = () => setShown(undefined);
  return (
    <Page
      title="Webhooks"
      lead="Events of the account are sent to URLs of yours, signed, at least once each."
    >
      <section className="panel" aria-labelledby="webhooks">
        <div className="panel-head">
          <h2 id="webhooks">Webhooks</h2>
          <ReferenceLink operation={LIST_WEBHOOKS} />
          {mayManage && (
            <Button type="button" onClick={() => setShown({ kind: 'create' })}>
              Create a webhook
            </Button>
          )}
        </div>
        <WholeList
          caption="Webhooks"
          queryKey={WEBHOOKS}
          read={async (signal) => (await account.listWebhooks({ signal })).webhooks}
          columns={COLUMNS}
          keyOf={({ webhook_id }) => webhook_id}
          operation={LIST_WEBHOOKS}
          empty={{ title: 'No webhooks yet', children: <FirstSteps /> }}
        />
      </section>
      {shown?.kind === 'create' && (
        <WebhookDialog
          onSaved={({ name, secret }) => {
            void client.invalidateQueries({ queryKey: WEBHOOKS });
            if (secret === undefined) close();
            else setShown({ kind: 'secret', name, secret });
          }}
          onClose={close}
        />
      )}
      {shown?.kind === 'secret' && <WebhookSecret name={shown.name} secret={shown.secret} onClose={close} />}
    </Page>
  );
}

/** What shows events without a receiver. */
function FirstSteps() {
  return (
    <>
      <p>
        Create one for a receiver of yours. To see events first, in a terminal, and to forward them to a port
        of your machine, take an access token with the scope <code>audit:read</code>:
      </p>
      <Snippet
        code={`KEYSLOT_TOKEN=ks_tok_… keyslot listen --url ${SERVER_ADDRESS} --forward http://127.0.0.1:3000/hook`}
        label="Copy the command"
      />
    </>
  );
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: 'Name',
    share: 1.8,
    show: ({ webhook_id, name, url }) => (
      <span className="cell-lines">
        <Link href={`/webhooks/${webhook_id}`}>{name}</Link>
        <span className="muted webhook-url">{url}</span>
      </span>
    ),
  },
  { title: 'State', show: (webhook) => <WebhookBadge webhook={webhook} /> },
  {
    title: 'Events',
    show: ({ events }) => <span className="scope-list">{events.join(', ') || 'all'}</span>,
  },
  { title: 'Waiting', kind: 'number', share: 0.6, show: ({ waiting }) => <Count value={waiting} /> },
  { title: 'Position', kind: 'number', share: 0.7, show: ({ position }) => <Count value={position} /> },
];
