import { useMutation } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import type { AccountDialogProps } from './account-dialog.ts';

/** Adds money to the balance of an account, once for each reference. */
export function CreditDialog({ shown, onChanged, onClose }: AccountDialogProps) {
  const withFreshFactor = useFreshCall();
  const credit = useMutation({
    mutationFn: (body: Parameters<typeof account.creditAccount>[1]) =>
      withFreshFactor(() => account.creditAccount(shown.account_id, body)),
    onSuccess: onChanged,
  });
  return (
    <FormDialog
      title={`Add credit to ${shown.name}`}
      description="The same amount with the same reference is booked once, however often it is sent."
      action="Add the credit"
      call={credit}
      operation={['Operators', 'creditAccount']}
      onSubmit={(form) =>
        credit.mutate({
          amount_usd: readForm(form, 'amount').trim(),
          reference: readForm(form, 'reference').trim(),
        })
      }
      onClose={onClose}
    >
      <Field
        name="amount"
        label="Amount in USD"
        hint="Such as 25 or 0.50; below 0 it takes credit back."
        inputMode="decimal"
        pattern="-?[0-9]{1,9}([.][0-9]{1,6})?"
        autoComplete="off"
        required
      />
      <Field
        name="reference"
        label="Reference"
        hint="What you call the credit, such as the number of an invoice."
        maxLength={100}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}
