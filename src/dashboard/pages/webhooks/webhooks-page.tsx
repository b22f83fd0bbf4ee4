import { useParams, Link } from 'wouter';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import './webhooks-page.css';
import type { Webhook } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useScopes } from '../../session/session.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { WebhookActions, WebhookSecret } from './webhook-actions.tsx';
import { deliveriesOf, WEBHOOKS } from './webhook-keys.ts';
import { standingOf } from './webhook-standing.ts';
import { SERVER_ADDRESS } from '../../calls/places.ts';
import { Button } from '../../parts/button.tsx';
import { Count } from '../../parts/number.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import type { Column } from '../../parts/table.tsx';
import { WholeList } from '../../parts/whole-list.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { Badge } from '../../parts/badge.tsx';

/** The webhooks of the account, and each of them with its deliveries. */
export function WebhooksPage() {
  const { id } = useParams();
  return id === undefined ? <WebhookListPage /> : <WebhookPage key={id} webhookId={id} />;
}

/** The refresh interval of its state, which changes by itself. */
const REFRESH_MS = 3_000;

/** A webhook: its status, its actions and its deliveries. */
function WebhookPage({ webhookId }: { readonly webhookId: string }) {
  const mayManage = useScopes('webhooks:manage');
  const list = useQuery({
    queryKey: WEBHOOKS,
    queryFn: async ({ signal }) => (await account.listWebhooks({ signal })).webhooks,
    refetchInterval: REFRESH_MS,
  });
  const webhook = list.data?.find((each) => each.webhook_id === webhookId);
  const client = useQueryClient();
  const { waiting, position, failing_since } = webhook ?? {};
  const standing = [waiting, position, failing_since].join();
  // The list below is reloaded when an event was sent.
  useEffect(() => {
    if (standing !== '') void client.invalidateQueries({ queryKey: deliveriesOf(webhookId) });
  }, [client, standing, webhookId]);
  if (list.data !== undefined && webhook === undefined) return <NotFoundPage />;
  const advice = webhook === undefined ? undefined : standingOf(webhook).advice;
  return (
    <Page title={webhook?.name ?? 'Webhook'}>
      <p>
        <Link href="/webhooks">All webhooks</Link>
      </p>
      <section className="panel" aria-label="Status">
        <ErrorNotice error={list.error} operation={['Webhooks', 'listWebhooks']} />
        <Facts facts={webhook === undefined ? WAITING : factsOf(webhook)} />
        <p className={`notice webhook-advice ${advice === undefined ? 'webhook-is-well' : 'notice-warn'}`}>
          {advice}
        </p>
        {mayManage && webhook !== undefined && <WebhookActions webhook={webhook} />}
      </section>
      <DeliveryList webhookId={webhookId} />
    </Page>
  );
}

const NAMES = ['State', 'Events', 'Order', 'Waiting', 'Position', 'Created'] as const;
/** Keeps the height while it is loading. */
const WAITING = [
  { name: 'URL', value: <span className="skeleton skeleton-line" />, isWide: true },
  ...NAMES.map((name) => ({ name, value: <span className="skeleton skeleton-line" /> })),
];

function factsOf(webhook: Webhook) {
  const { url, events, ordered, waiting, position, created_at, old_signs_until, ledger } = webhook;
  return [
    { name: 'URL', value: <span className="webhook-url">{url}</span>, isWide: true },
    { name: 'State', value: <WebhookBadge webhook={webhook} /> },
    { name: 'Events', value: events.join(', ') || 'all' },
    { name: 'Order', value: ordered ? 'in order for each wallet' : 'any' },
    { name: 'Waiting', value: <span className="number">{waiting}</span> },
    { name: 'Position', value: <span className="number">record {position}</span> },
    { name: 'Created', value: <Time at={created_at} /> },
    ledger === undefined ? undefined : { name: 'Ledger', value: <LedgerStanding ledger={ledger} /> },
    old_signs_until === undefined
      ? undefined
      : { name: 'The old secret signs until', value: <Time at={old_signs_until} /> },
  ];
}

function LedgerStanding({ ledger }: { readonly ledger: NonNullable<Webhook['ledger']> }) {
  const { network, filters, slot, queued } = ledger;
  return (
    <span className="cell-lines">
      <span>
        {network}, {filters.length === 1 ? '1 filter' : `${filters.length} filters`}
      </span>
      <span className="muted">
        {slot === undefined ? 'not reached yet' : `read to slot ${slot}`}
        {queued > 0 && `, ${queued} queued`}
      </span>
    </span>
  );
}

const LIST_WEBHOOKS = ['Webhooks', 'listWebhooks'] as const;

type Shown =
  | { readonly kind: 'create' }
  | { readonly kind: 'secret'; readonly name: string; readonly secret: string };

/** The webhooks of the account. */
function WebhookListPage() {
  const [shown, setShown] = useState<Shown>();
  const mayManage = useScopes('webhooks:manage');
  const client = useQueryClient();
  const close = () => setShown(undefined);
  return (
    <Page title="Webhooks" lead="Signed events of the account are sent to your URLs, at least once each.">
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

/** Shows how to see events without a receiver. */
function FirstSteps() {
  return (
    <>
      <p>
        Create one for your receiver. To first see events in a terminal and forward them to a port of your
        machine, use an access token with the scope <code>audit:read</code>:
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

/** The status of a webhook, and its time. */
function WebhookBadge({ webhook }: { readonly webhook: Webhook }) {
  const { tone, word, since } = standingOf(webhook);
  return (
    <span className="cell-lines">
      <span>
        <Badge tone={tone}>{word}</Badge>
      </span>
      {/* The line exists even without text, so that nothing moves. */}
      <span className="muted">
        {since === undefined ? (
          '\u00a0'
        ) : (
          <>
            since <Time at={since} />
          </>
        )}
      </span>
    </span>
  );
}
