import { useMutation } from '@tanstack/react-query';
import type { BillingSettings } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { TextArea } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import type { SettingsDialogProps } from './settings-dialog.ts';

const MOST_CHARACTERS = 500;

/** Sets what invoices are addressed to from now on. */
export function RecipientDialog({ settings, onSaved, onClose }: SettingsDialogProps) {
  const save = useMutation({
    mutationFn: (recipient: string): Promise<BillingSettings> => account.changeBillingSettings({ recipient }),
    onSuccess: onSaved,
  });
  return (
    <FormDialog
      title="Recipient of invoices"
      description="Invoices from now on have it. Those that were issued stay as they are."
      action="Save"
      call={save}
      operation={['Billing', 'changeBillingSettings']}
      onSubmit={(form) => save.mutate(readLines(readForm(form, 'recipient')))}
      onClose={onClose}
    >
      <TextArea
        name="recipient"
        label="Name and address"
        hint="In lines, as they stand on the invoice. A tax number too, if it needs one."
        rows={5}
        maxLength={MOST_CHARACTERS}
        defaultValue={settings.recipient}
        autoComplete="off"
      />
    </FormDialog>
  );
}

/** Without spaces at the ends of lines, and with one kind of line end. */
function readLines(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .join('\n')
    .trim();
}
