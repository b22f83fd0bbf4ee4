import { useParams } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { AccountPanel } from './account-panel.tsx';
import { LeavePanel } from './leave-panel.tsx';
import { LimitPanel } from './limit-panel.tsx';
import { LimitRequestPanel } from './limit-request-panel.tsx';
import { NetworkPanel } from './network-panel.tsx';

const TABS = [
  { href: '/settings', title: 'Account' },
  { href: '/settings/limits', title: 'Plan and limits' },
];

/** The account, where its networks are served, and its limits. */
export function SettingsPage() {
  const { view } = useParams();
  if (view !== undefined && view !== 'limits') return <NotFoundPage />;
  return (
    <Page title="Settings" lead="The account, where its networks are served, and its limits.">
      <Tabs label="Views" tabs={TABS} />
      {view === undefined ? (
        <>
          <AccountPanel />
          <NetworkPanel />
          <LeavePanel />
        </>
      ) : (
        <>
          <LimitPanel />
          <LimitRequestPanel />
        </>
      )}
    </Page>
  );
}
