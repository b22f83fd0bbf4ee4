import { useParams } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { RecordList } from './record-list.tsx';
import { Verification } from './verification.tsx';
import './audit-page.css';

const TABS = [
  { href: '/audit', title: 'Records' },
  { href: '/audit/verification', title: 'Verification' },
];

/** The audit log of the account, and its verification. */
export function AuditPage() {
  const { view } = useParams();
  if (view !== undefined && view !== 'verification') return <NotFoundPage />;
  return (
    <Page title="Audit log" lead="Everything that was done in the account, or refused.">
      <Tabs label="Views" tabs={TABS} />
      {view === undefined ? <RecordList /> : <Verification />}
    </Page>
  );
}
