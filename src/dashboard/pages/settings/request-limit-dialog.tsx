import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { LimitKind } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { isLimit, LIMIT_NAMES, LIMIT_TEXTS } from './limit-texts.ts';

type RequestLimitDialogProps = { readonly onAsked: () => void; readonly onClose: () => void };

/** Asks the operator of the server for a higher limit. */
export function RequestLimitDialog({ onAsked, onClose }: RequestLimitDialogProps) {
  const [limit, setLimit] = useState<LimitKind>('plan');
  const ask = useMutation({
    mutationFn: (body: Parameters<typeof account.requestLimit>[0]) => account.requestLimit(body),
    onSuccess: onAsked,
  });
  return (
    <FormDialog
      title="Ask for a higher limit"
      description="The operator of this server grants or refuses it; the answer is in the list."
      action="Send the request"
      call={ask}
      operation={['Higher limits', 'requestLimit']}
      onSubmit={(form) =>
        ask.mutate({
          limit,
          wanted: readForm(form, 'wanted').trim(),
          reason: readForm(form, 'reason').trim(),
        })
      }
      onClose={onClose}
    >
      <Select
        label="Limit"
        hint={`It is of ${LIMIT_TEXTS[limit].of}.`}
        value={limit}
        onChange={({ currentTarget: { value } }) => isLimit(value) && setLimit(value)}
        options={LIMIT_NAMES.map((name) => ({ value: name, text: LIMIT_TEXTS[name].title }))}
      />
      <Field
        key={limit}
        name="wanted"
        label={LIMIT_TEXTS[limit].wanted}
        autoComplete="off"
        maxLength={63}
        required
        {...(limit !== 'plan' && { type: 'number', min: 1, step: 1 })}
      />
      <Field
        name="reason"
        label="Reason"
        hint="What you need it for. The operator reads it."
        autoComplete="off"
        maxLength={500}
        required
      />
    </FormDialog>
  );
}
