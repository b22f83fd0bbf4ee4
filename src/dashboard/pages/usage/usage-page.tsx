import { useParams } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useScopes } from '../../session/session.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { Billing } from './billing.tsx';
import { CallUsage } from './call-usage.tsx';
import { PlanLimits } from './plan-limits.tsx';
import { WalletUsage } from './wallet-usage.tsx';
import './usage-page.css';

const CALLS = { href: '/usage', title: 'Calls' };
const WALLETS = { href: '/usage/wallets', title: 'Wallet operations' };
const LIMITS = { href: '/usage/limits', title: 'Limits' };
const BILLING = { href: '/usage/billing', title: 'Billing' };

/** What the account used, and what it paid. */
export function UsagePage() {
  const { list } = useParams();
  const hasMoney = useScopes('billing:read');
  const tabs = hasMoney ? [CALLS, WALLETS, LIMITS, BILLING] : [CALLS, WALLETS, LIMITS];
  if (!tabs.some(({ href }) => href === ['/usage', list].filter(Boolean).join('/'))) return <NotFoundPage />;
  return (
    <Page title="Usage" lead="Calls to the networks, wallet operations, and what they cost.">
      <Tabs label="Views" tabs={tabs} />
      {list === undefined && <CallUsage />}
      {list === 'wallets' && <WalletUsage />}
      {list === 'limits' && <PlanLimits />}
      {list === 'billing' && <Billing />}
    </Page>
  );
}
