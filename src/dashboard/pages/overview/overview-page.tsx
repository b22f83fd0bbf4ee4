import { Link } from 'wouter';
import { useQuery } from '@tanstack/react-query';
import { Page } from '../../parts/page.tsx';
import { useScopes, useSession } from '../../session/session.tsx';
import { findAttention } from './attention.ts';
import { ActivityPanel } from './activity-panel.tsx';
import { Checklist } from './checklist.tsx';
import { EndpointsPanel } from './endpoints-panel.tsx';
import { NetworksPanel } from './networks-panel.tsx';
import { spanOf } from '../usage/span.ts';
import { PlanLimits } from '../usage/plan-limits.tsx';
import { ownCalls } from './own-calls.ts';
import './overview-page.css';
import { Badge } from '../../parts/badge.tsx';
import type { Attention } from './attention-item.ts';
import type { Account } from '../../../../generated/account/types.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Usd } from '../../parts/number.tsx';
import { account } from '../../calls/account-client.ts';
import { useBilling } from '../billing/use-billing.ts';
import { useAvailability } from '../service-level/use-availability.ts';

/** The first page after the sign-in: notices, endpoints, calls, limits and networks. */
export function OverviewPage() {
  const session = useSession();
  const hasMoney = useScopes('billing:read');
  const { networks, own, keys, tokens, webhooks, isReading, ...read } = useOverview();
  const lead = `Account ${session.account.name}`;
  // All at once, because late content would move the content below it.
  if (isReading) {
    return (
      <Page title="Overview" lead={lead}>
        <div className="panel overview-wait" aria-busy="true">
          <span className="skeleton" />
          <span className="skeleton" />
          <span className="skeleton" />
        </div>
      </Page>
    );
  }
  const shown = networks.data?.networks;
  const attention = findAttention({
    session,
    networks: shown,
    account: own.data,
    keys: keys.data?.keys,
    tokens: tokens.data?.tokens,
    refused: ownCalls(shown, 'day')?.refused,
    webhooks: webhooks.data,
    settings: read.settings.data,
    invoices: read.invoices.data,
    availability: read.availability.data,
    openRequests: read.requests.data?.limit_requests.length,
    accountsInNeed: read.inNeed.data,
    nowMs: Date.now(),
  });
  // A fact that could not be read counts as done.
  const done = {
    call: ownCalls(shown, 'month')?.calls !== 0,
    key: keys.data?.keys.length !== 0,
    factor: session.has_second_factor,
    wallet: read.wallets.data !== false,
    webhook: webhooks.data?.length !== 0,
  };
  return (
    <Page title="Overview" lead={lead}>
      {attention.length > 0 && <AttentionList items={attention} />}
      <Checklist done={done} />
      <EndpointsPanel />
      <ActivityPanel />
      <div className="overview-pair">
        <PlanLimits />
        {hasMoney && <BalancePanel account={own.data} error={own.error} />}
      </div>
      <NetworksPanel networks={shown} error={networks.error} />
    </Page>
  );
}

/** Notices, each with the page that settles it. */
function AttentionList({ items }: { readonly items: readonly Attention[] }) {
  return (
    <section className="panel" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <ul className="attention">
        {items.map(({ id, tone, text, link }) => (
          <li key={id}>
            <Badge tone={tone}>{tone === 'bad' ? 'Urgent' : 'Soon'}</Badge>
            <span>{text}</span>
            {link.href.startsWith('#') ? (
              <a href={link.href}>{link.title}</a>
            ) : (
              <Link href={link.href}>{link.title}</Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

type BalancePanelProps = { readonly account: Account | undefined; readonly error: unknown };

/** The remaining money. */
function BalancePanel({ account, error }: BalancePanelProps) {
  const balance = account?.balance;
  return (
    <section className="panel" aria-labelledby="balance">
      <div className="panel-head">
        <h2 id="balance">Balance</h2>
        <Link href="/billing">Billing</Link>
      </div>
      <ErrorNotice error={error} operation={['Account', 'getAccount']} />
      {balance !== undefined && (
        <dl className="facts">
          <div>
            <dt>Available</dt>
            <dd className="figure">
              <Usd amount={balance.available_usd} />
            </dd>
          </div>
          <div className="fact-line">
            <dt>Reserved for work under way</dt>
            <dd>
              <Usd amount={balance.reserved_usd} />
            </dd>
          </div>
          <div className="fact-line">
            <dt>Charged so far</dt>
            <dd>
              <Usd amount={balance.charged_usd} />
            </dd>
          </div>
        </dl>
      )}
    </section>
  );
}

const REFRESH_MS = 15_000;
/** The number of newest keys and tokens that are checked for their expiry. */
const NEWEST = 200;

/** Reads the data of the overview, as far as the member may. */
function useOverview() {
  const hasMoney = useScopes('billing:read');
  const operates = useScopes('operator:read');
  const seesAccounts = useScopes('operator:manage');
  const networks = useQuery({
    queryKey: ['networks'],
    queryFn: ({ signal }) => account.listNetworks({ signal }),
    refetchInterval: REFRESH_MS,
  });
  const own = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => account.getAccount({ signal }),
    enabled: hasMoney,
  });
  const keys = useQuery({
    queryKey: ['keys', 'newest'],
    queryFn: ({ signal }) => account.listKeys({ limit: NEWEST }, { signal }),
  });
  const tokens = useQuery({
    queryKey: ['tokens', 'newest'],
    queryFn: ({ signal }) => account.listTokens({ limit: NEWEST }, { signal }),
  });
  const wallets = useQuery({
    queryKey: ['wallet-usage', 'any'],
    queryFn: async ({ signal }) => {
      const since = spanOf('year', Date.now()).since;
      const { rows } = await account.getWalletUsage({ since, by: 'operation' }, { signal });
      return rows.some(({ group, requests }) => group === 'create' && requests > 0);
    },
  });
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: async ({ signal }) => (await account.listWebhooks({ signal })).webhooks,
    refetchInterval: REFRESH_MS,
  });
  const requests = useQuery({
    queryKey: ['open-limit-requests'],
    queryFn: ({ signal }) => account.listOpenLimitRequests({}, { signal }),
    enabled: operates,
  });
  const inNeed = useQuery({
    queryKey: ['accounts-in-need'],
    queryFn: async ({ signal }) =>
      (await account.listAccounts({ only: 'needs_credit_limit' }, { signal })).accounts.length,
    enabled: seesAccounts,
  });
  const availability = useAvailability();
  const { settings, invoices } = useBilling({ isAllowed: hasMoney });
  const all = [
    ...[networks, own, keys, tokens, wallets, webhooks],
    ...[requests, inNeed, availability, settings, invoices],
  ];
  return {
    networks,
    own,
    keys,
    tokens,
    wallets,
    webhooks,
    requests,
    inNeed,
    availability,
    settings,
    invoices,
    isReading: all.some(({ isLoading }) => isLoading),
  };
}
