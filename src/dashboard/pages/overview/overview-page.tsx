import { Page } from '../../parts/page.tsx';
import { useScopes, useSession } from '../../session/session.tsx';
import { AttentionList } from './attention-list.tsx';
import { findAttention } from './attention.ts';
import { BalancePanel } from './balance-panel.tsx';
import { CallsPanel } from './calls-panel.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NetworksPanel } from './networks-panel.tsx';
import { ownCalls } from './own-calls.ts';
import { useOverview } from './use-overview.ts';
import './overview-page.css';

/** The first page after the sign-in: what needs attention, the networks, and what the account uses. */
export function OverviewPage() {
  const session = useSession();
  const hasMoney = useScopes('billing:read');
  const { networks, own, keys, tokens, webhooks, isReading, ...read } = useOverview();
  const lead = `Account ${session.account.name}`;
  // All at once: what is read last would move what stands below it.
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
  const isNew = keys.data?.keys.length === 0 || ownCalls(shown, 'month')?.calls === 0;
  return (
    <Page title="Overview" lead={lead}>
      {attention.length > 0 && <AttentionList items={attention} />}
      {isNew && <FirstSteps hasKey={keys.data !== undefined && keys.data.keys.length > 0} />}
      <NetworksPanel networks={shown} error={networks.error} />
      <div className="overview-pair">
        {shown !== undefined && <CallsPanel networks={shown} />}
        {hasMoney && <BalancePanel account={own.data} error={own.error} />}
      </div>
    </Page>
  );
}
