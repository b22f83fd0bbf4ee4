import { useMutation } from '@tanstack/react-query';
import type { Webhook } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';

type ReplayDialogProps = {
  readonly webhook: Webhook;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Sends everything again from a record of the audit log on. */
export function ReplayDialog({ webhook, onDone, onClose }: ReplayDialogProps) {
  const replay = useMutation({
    mutationFn: (from_seq: number) => account.replayWebhook(webhook.webhook_id, { from_seq }),
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title={`Send events to ${webhook.name} again`}
      description="Every event that it gets is sent again with the same webhook-id, so that a receiver can tell which it has."
      action="Send again"
      call={replay}
      operation={['Webhooks', 'replayWebhook']}
      onSubmit={(form) => replay.mutate(Number(readForm(form, 'from')))}
      onClose={onClose}
    >
      <Field
        name="from"
        type="number"
        inputMode="numeric"
        min={1}
        step={1}
        label="From this record of the audit log on"
        hint={`It has come to record ${webhook.position}.`}
        defaultValue={1}
        required
      />
    </FormDialog>
  );
}
