import { Page } from '../../parts/page.tsx';
import { useScopes, useSession } from '../../session/session.tsx';
import { AttentionList } from './attention-list.tsx';
import { findAttention } from './attention.ts';
import { BalancePanel } from './balance-panel.tsx';
import { CallsPanel } from './calls-panel.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NetworksPanel } from './networks-panel.tsx';
import { useOverview } from './use-overview.ts';
import './overview-page.css';

/** The first page after the sign-in: what needs attention, the networks, and what the account uses. */
export function OverviewPage() {
  const session = useSession();
  const hasMoney = useScopes('billing:read');
  const { networks, usage, own, keys, tokens, requests, isReading } = useOverview();
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
  const [, day, month] = usage.data ?? [];
  const attention = findAttention({
    session,
    networks: networks.data?.networks,
    account: own.data,
    keys: keys.data?.keys,
    tokens: tokens.data?.tokens,
    refused: day?.refused,
    openRequests: requests.data?.limit_requests.length,
    nowMs: Date.now(),
  });
  const isNew = keys.data?.keys.length === 0 || month?.calls === 0;
  return (
    <Page title="Overview" lead={lead}>
      {attention.length > 0 && <AttentionList items={attention} />}
      {isNew && <FirstSteps hasKey={keys.data !== undefined && keys.data.keys.length > 0} />}
      <NetworksPanel networks={networks.data?.networks} error={networks.error} />
      <div className="overview-pair">
        <CallsPanel spans={usage.data} error={usage.error} />
        {hasMoney && <BalancePanel account={own.data} error={own.error} />}
      </div>
    </Page>
  );
}
