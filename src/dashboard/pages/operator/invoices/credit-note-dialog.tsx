import { useMutation } from '@tanstack/react-query';
import type { InvoiceDetails } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { formatMicroUsd } from '../../../parts/format-number.ts';
import { readForm } from '../../../parts/read-form.ts';
import { microOf } from '../../../parts/usd.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';

type CreditNoteDialogProps = {
  readonly details: InvoiceDetails;
  readonly onIssued: () => void;
  readonly onClose: () => void;
};

/** Gives back a part of an invoice, once for each reference. */
export function CreditNoteDialog({ details, onIssued, onClose }: CreditNoteDialogProps) {
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
      description="The invoice stays as it is. The amount is added to the balance of the account, and pays the oldest of what it owes."
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
        hint="What you call the correction, such as ticket 118. The same one is not issued twice."
        maxLength={100}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}
