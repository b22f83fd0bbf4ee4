import { useParams } from 'wouter';
import { AllInvoices } from './all-invoices.tsx';
import { OperatedInvoicePage } from './operated-invoice-page.tsx';

/** The invoices of all accounts, or the one that the address names. */
export function InvoicesPage() {
  const { number } = useParams();
  return number === undefined ? <AllInvoices /> : <OperatedInvoicePage key={number} number={number} />;
}
