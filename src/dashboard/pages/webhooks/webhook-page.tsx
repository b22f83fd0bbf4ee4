import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { Webhook } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useScopes } from '../../session/session.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookBadge } from './webhook-badge.tsx';
import { deliveriesOf, WEBHOOKS } from './webhook-keys.ts';
import { standingOf } from './webhook-standing.ts';

/** How often its state is read anew: it changes by itself. */
const REFRESH_MS = 3_000;

/** A webhook: how it stands, what can be done with it, and its deliveries. */
export function WebhookPage({ webhookId }: { readonly webhookId: string }) {
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
  // The list below is read anew when something was sent.
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
      <section className="panel" aria-label="How it stands">
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
/** Keeps the height while it is read. */
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
