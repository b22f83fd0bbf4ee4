import { useParams } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { Entries } from './entries.tsx';
import { InvoiceList } from './invoices/invoice-list.tsx';
import { InvoicePage } from './invoices/invoice-page.tsx';
import { BillingOverview } from './overview/billing-overview.tsx';
import { StatementList } from './statements/statement-list.tsx';
import { StatementPage } from './statements/statement-page.tsx';
import './billing-page.css';

const TABS = [
  { href: '/billing', title: 'Overview' },
  { href: '/billing/invoices', title: 'Invoices' },
  { href: '/billing/statements', title: 'Statements' },
  { href: '/billing/entries', title: 'Entries' },
];

/** The money of the account: how it pays, its invoices and statements, and the books. */
export function BillingPage() {
  const { view, id } = useParams();
  if (id !== undefined) {
    if (view === 'invoices') return <InvoicePage key={id} number={id} />;
    if (view === 'statements') return <StatementPage month={id} />;
    return <NotFoundPage />;
  }
  if (!TABS.some(({ href }) => href === ['/billing', view].filter(Boolean).join('/')))
    return <NotFoundPage />;
  return (
    <Page title="Billing" lead="How the account pays, its invoices, and what became of its money.">
      <Tabs label="Views" tabs={TABS} />
      {view === undefined && <BillingOverview />}
      {view === 'invoices' && <InvoiceList />}
      {view === 'statements' && <StatementList />}
      {view === 'entries' && <Entries />}
    </Page>
  );
}
