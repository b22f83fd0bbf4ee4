import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { BillingMode } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import type { AccountDialogProps } from './account-dialog.ts';
import { BILLING_MODES } from './billing-modes.ts';

const MODES = ['by_volume', 'invoiced', 'prepaid'] as const satisfies readonly BillingMode[];

/** Sets the billing mode of an account, and its credit limit. */
export function SetBillingDialog({ shown, onChanged, onClose }: AccountDialogProps) {
  const { balance, account_id, name } = shown;
  const [mode, setMode] = useState<BillingMode>(balance.mode);
  const withFreshFactor = useFreshCall();
  const set = useMutation({
    mutationFn: (body: Parameters<typeof account.setBilling>[1]) =>
      withFreshFactor(() => account.setBilling(account_id, body)),
    onSuccess: onChanged,
  });
  return (
    <FormDialog
      title={`How ${name} pays`}
      description="It applies at once. An account that owes more than the new limit is not changed."
      action="Set how it pays"
      call={set}
      operation={['Operators', 'setBilling']}
      onSubmit={(form) => {
        const limit = mode === 'prepaid' ? '0' : readForm(form, 'limit').trim();
        set.mutate({ mode, credit_limit_usd: limit });
      }}
      onClose={onClose}
    >
      <fieldset className="choices">
        <legend>It pays</legend>
        {MODES.map((each) => (
          <label key={each} className="choice">
            <input
              type="radio"
              name="mode"
              value={each}
              checked={mode === each}
              onChange={() => setMode(each)}
            />
            <span>{BILLING_MODES[each]}</span>
          </label>
        ))}
      </fieldset>
      {mode !== 'prepaid' && (
        <Field
          name="limit"
          label="Credit limit in USD"
          hint={
            mode === 'invoiced'
              ? 'How much it may owe; more than 0.'
              : 'How much it may owe while it is invoiced. 0: it is not invoiced.'
          }
          inputMode="decimal"
          pattern="[0-9]{1,9}([.][0-9]{1,6})?"
          title="Digits, such as 5000"
          defaultValue={balance.granted_credit_limit_usd}
          autoComplete="off"
          required
        />
      )}
    </FormDialog>
  );
}
