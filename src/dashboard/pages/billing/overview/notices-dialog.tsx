import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { Icon } from '../../../parts/icon.tsx';
import type { SettingsDialogProps } from './settings-dialog.ts';

/** The account service takes no more. */
const MOST_NOTICES = 5;

/** Sets the amounts below which the account is told of its balance. */
export function NoticesDialog({ settings, onSaved, onClose }: SettingsDialogProps) {
  const [rows, setRows] = useState<readonly number[]>(settings.notify_below_usd.map((_, row) => row));
  const next = useRef(rows.length);
  const save = useMutation({
    mutationFn: (amounts: readonly string[]) =>
      account.changeBillingSettings({ notify_below_usd: [...amounts] }),
    onSuccess: onSaved,
  });
  const add = (): void => {
    setRows([...rows, next.current]);
    next.current += 1;
  };
  return (
    <FormDialog
      title="Notices of a low balance"
      description="When the account can spend less than one of these amounts, the overview says so, the event account.balance.low is recorded, and owners and billing members get a mail where the server sends mail."
      action="Save"
      call={save}
      operation={['Billing', 'changeBillingSettings']}
      onSubmit={(form) => save.mutate(readAmounts(form))}
      onClose={onClose}
    >
      {rows.length === 0 && <p>Without an amount the account is not told.</p>}
      {rows.map((row, at) => (
        <div key={row} className="field-row">
          <Field
            name="amount"
            label={`Amount ${at + 1} in USD`}
            inputMode="decimal"
            pattern="[0-9]{1,9}([.][0-9]{1,6})?"
            title="Digits, such as 25 or 0.50"
            defaultValue={settings.notify_below_usd[row]}
            autoFocus={row >= settings.notify_below_usd.length}
            autoComplete="off"
            required
          />
          <button
            type="button"
            className="icon-button"
            title={`Remove amount ${at + 1}`}
            onClick={() => setRows(rows.filter((each) => each !== row))}
          >
            <Icon name="close" />
            <span className="only-read">Remove amount {at + 1}</span>
          </button>
        </div>
      ))}
      {rows.length < MOST_NOTICES && (
        <div>
          <Button type="button" onClick={add}>
            Add an amount
          </Button>
        </div>
      )}
    </FormDialog>
  );
}

function readAmounts(form: HTMLFormElement): readonly string[] {
  return new FormData(form).getAll('amount').map((amount) => String(amount).trim());
}
