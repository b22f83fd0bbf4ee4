import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { account } from '../../../calls/account-client.ts';
import { invoiceKey } from '../keys.ts';
import { BillPanel } from '../verification/bill-panel.tsx';
import { InvoiceView } from './invoice-view.tsx';

/** An invoice of the account, to read, print, download and verify. */
export function InvoicePage({ number }: { readonly number: string }) {
  const read = useQuery({
    queryKey: invoiceKey(number),
    queryFn: ({ signal }) => account.readInvoice(number, { signal }),
  });
  return (
    <InvoiceView
      number={number}
      read={read}
      operation={['Billing', 'readInvoice']}
      back={<Link href="/billing/invoices">All invoices</Link>}
    >
      {read.data !== undefined && <BillPanel invoice={read.data.invoice} />}
    </InvoiceView>
  );
}
