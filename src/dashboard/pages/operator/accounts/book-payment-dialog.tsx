import { useMutation } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';

type BookPaymentDialogProps = {
  readonly accountId: string;
  readonly accountName: string;
  /** The initial amount: USD, as exact decimal text. */
  readonly amount?: string;
  /** Called when the payment is in the books. */
  readonly onBooked: () => void;
  readonly onClose: () => void;
};

/** Books a payment of an account, once for each reference. */
export function BookPaymentDialog(props: BookPaymentDialogProps) {
  const { accountId, accountName, amount, onBooked, onClose } = props;
  const withFreshFactor = useFreshCall();
  const book = useMutation({
    mutationFn: (body: Parameters<typeof account.bookPayment>[1]) =>
      withFreshFactor(() => account.bookPayment(accountId, body)),
    onSuccess: ({ was_booked }) => {
      if (!was_booked) onBooked();
    },
  });
  return (
    <FormDialog
      title={`Book a payment of ${accountName}`}
      description="It is added to the balance, and pays the oldest debts of the account first."
      action="Book the payment"
      call={book}
      operation={['Operators', 'bookPayment']}
      onSubmit={(form) =>
        book.mutate({
          amount_usd: readForm(form, 'amount').trim(),
          reference: readForm(form, 'reference').trim(),
        })
      }
      onClose={onClose}
    >
      <Field
        name="amount"
        label="Amount in USD"
        hint="Such as 25 or 0.50."
        inputMode="decimal"
        pattern="[0-9]{1,9}([.][0-9]{1,6})?"
        title="Digits, such as 25 or 0.50"
        defaultValue={amount}
        autoComplete="off"
        required
      />
      <Field
        name="reference"
        label="Reference of the payment"
        hint="Its id at the bank or payment provider. Each reference is booked only once."
        maxLength={100}
        autoComplete="off"
        required
      />
      {book.data?.was_booked === true && (
        <p className="notice notice-warn" role="alert">
          This payment was already booked; nothing was added.
        </p>
      )}
    </FormDialog>
  );
}
