import { useMutation } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
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
    <Dialog
      title={`Add credit to ${shown.name}`}
      description="The same amount with the same reference is booked once, however often it is sent."
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          credit.mutate({
            amount_usd: readForm(form, 'amount').trim(),
            reference: readForm(form, 'reference').trim(),
          });
        }}
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
        <ErrorNotice error={credit.error} operation={['Operators', 'creditAccount']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={credit.isPending}>
            Add the credit
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
