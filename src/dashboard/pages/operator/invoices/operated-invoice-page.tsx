import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { useScopes } from '../../../session/session.tsx';
import { isOpen } from '../../billing/invoices/invoice-standing.ts';
import { InvoiceView } from '../../billing/invoices/invoice-view.tsx';
import { BookPaymentDialog } from '../accounts/book-payment-dialog.tsx';
import { OPERATOR_KEY, operatedInvoiceKey } from '../keys.ts';
import '../../billing/billing-page.css';
import type { InvoiceDetails } from '../../../../../generated/account/types.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { formatMicroUsd, microOf } from '../../../parts/format-number.ts';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';

/** An invoice of any account, to read and print, to book its payment, and to credit a part of it. */
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

type CreditNoteDialogProps = {
  readonly details: InvoiceDetails;
  readonly onIssued: () => void;
  readonly onClose: () => void;
};

/** Issues a credit note for a part of an invoice, once for each reference. */
function CreditNoteDialog({ details, onIssued, onClose }: CreditNoteDialogProps) {
  const { invoice, credited_usd } = details;
  const withFreshFactor = useFreshCall();
  const issue = useMutation({
    mutationFn: (body: Parameters<typeof account.issueCreditNote>[1]) =>
      withFreshFactor(() => account.issueCreditNote(invoice.number, body)),
    onSuccess: onIssued,
  });
  const left = formatMicroUsd(microOf(invoice.total_usd) - microOf(credited_usd));
  return (
    <FormDialog
      title={`Credit note for ${invoice.number}`}
      description="The invoice does not change. The amount is added to the balance of the account, and pays its oldest debts first."
      action="Issue the credit note"
      call={issue}
      operation={['Operators', 'issueCreditNote']}
      onSubmit={(form) =>
        issue.mutate({
          amount_usd: readForm(form, 'amount').trim(),
          reason: readForm(form, 'reason').trim(),
          reference: readForm(form, 'reference').trim(),
        })
      }
      onClose={onClose}
    >
      <Field
        name="amount"
        label="Amount in USD"
        hint={`Such as 25 or 0.50; at most ${left}.`}
        inputMode="decimal"
        pattern="[0-9]{1,9}([.][0-9]{1,6})?"
        title="Digits, such as 25 or 0.50"
        autoComplete="off"
        required
      />
      <Field
        name="reason"
        label="Reason"
        hint="The account reads it on the invoice."
        maxLength={200}
        autoComplete="off"
        required
      />
      <Field
        name="reference"
        label="Reference"
        hint="Your name for the correction, such as ticket 118. Each is issued only once."
        maxLength={100}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}
