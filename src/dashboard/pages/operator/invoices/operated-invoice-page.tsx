import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { useScopes } from '../../../session/session.tsx';
import { isOpen } from '../../billing/invoices/invoice-standing.ts';
import { InvoiceView } from '../../billing/invoices/invoice-view.tsx';
import { BookPaymentDialog } from '../accounts/book-payment-dialog.tsx';
import { OPERATOR_KEY, operatedInvoiceKey } from '../keys.ts';
import { CreditNoteDialog } from './credit-note-dialog.tsx';
import '../../billing/billing-page.css';

/** An invoice of any account: to read and print, to book its payment, and to give back a part of it. */
export function OperatedInvoicePage({ number }: { readonly number: string }) {
  const [shown, setShown] = useState<'credit-note' | 'payment'>();
  const [mayManage, mayBook] = [useScopes('operator:manage'), useScopes('operator:payments')];
  const client = useQueryClient();
  const read = useQuery({
    queryKey: operatedInvoiceKey(number),
    queryFn: ({ signal }) => account.readAnyInvoice(number, { signal }),
  });
  const { data } = read;
  const close = (): void => setShown(undefined);
  const onDone = (): void => {
    close();
    void client.invalidateQueries({ queryKey: OPERATOR_KEY });
  };
  return (
    <InvoiceView
      number={number}
      read={read}
      operation={['Operators', 'readAnyInvoice']}
      back={
        <>
          <Link href="/operator/invoices">All invoices</Link>
          {data !== undefined && (
            <>
              {' · '}
              <Link href={`/operator/accounts/${data.invoice.account_id}`}>
                Account {data.invoice.account_name}
              </Link>
            </>
          )}
        </>
      }
      actions={
        <>
          {mayBook && (
            <Button type="button" disabled={data === undefined} onClick={() => setShown('payment')}>
              Book a payment
            </Button>
          )}
          {mayManage && (
            <Button type="button" disabled={data === undefined} onClick={() => setShown('credit-note')}>
              Issue a credit note
            </Button>
          )}
        </>
      }
    >
      {data !== undefined && shown === 'credit-note' && (
        <CreditNoteDialog details={data} onIssued={onDone} onClose={close} />
      )}
      {data !== undefined && shown === 'payment' && (
        <BookPaymentDialog
          accountId={data.invoice.account_id}
          accountName={data.invoice.account_name}
          {...(isOpen(data) && { amount: data.outstanding_usd })}
          onBooked={onDone}
          onClose={close}
        />
      )}
    </InvoiceView>
  );
}
