import { Redirect, useParams } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { CallUsage } from './call-usage.tsx';
import { PlanLimits } from './plan-limits.tsx';
import { WalletUsage } from './wallet-usage.tsx';
import './usage-page.css';

const TABS = [
  { href: '/usage', title: 'Calls' },
  { href: '/usage/wallets', title: 'Wallet operations' },
  { href: '/usage/limits', title: 'Limits' },
];

/** The usage of the account: calls, wallet operations, limits. */
export function UsagePage() {
  const { list } = useParams();
  // Bookmarks of what was a view of this page.
  if (list === 'billing') return <Redirect to="/billing" replace />;
  if (!TABS.some(({ href }) => href === ['/usage', list].filter(Boolean).join('/'))) return <NotFoundPage />;
  return (
    <Page title="Usage" lead="Calls to the networks, wallet operations, and what they cost.">
      <Tabs label="Views" tabs={TABS} />
      {list === undefined && <CallUsage />}
      {list === 'wallets' && <WalletUsage />}
      {list === 'limits' && <PlanLimits />}
    </Page>
  );
}
