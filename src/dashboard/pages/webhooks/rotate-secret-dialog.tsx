import { useMutation } from '@tanstack/react-query';
import type { NewWebhook, Webhook } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Select } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';

type RotateSecretDialogProps = {
  readonly webhook: Webhook;
  readonly onRotated: (webhook: NewWebhook) => void;
  readonly onClose: () => void;
};

const HOUR = 3_600;

const OVERLAPS = [
  { value: '0', text: 'At once' },
  { value: String(HOUR), text: 'In an hour' },
  { value: String(24 * HOUR), text: 'In a day' },
  { value: String(7 * 24 * HOUR), text: 'In a week' },
];

/** Replaces the secret of a webhook. Events are signed with both for as long as is chosen. */
export function RotateSecretDialog({ webhook, onRotated, onClose }: RotateSecretDialogProps) {
  const withFreshFactor = useFreshCall();
  const rotate = useMutation({
    mutationFn: (overlap_seconds: number) =>
      withFreshFactor(() => account.rotateWebhookSecret(webhook.webhook_id, { overlap_seconds })),
    onSuccess: onRotated,
  });
  return (
    <Dialog
      title={`Replace the secret of ${webhook.name}`}
      description="The new one is shown once."
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          rotate.mutate(Number(readForm(event.currentTarget, 'overlap')));
        }}
      >
        <Select
          name="overlap"
          label="The old secret stops signing"
          hint="Events are signed with both until then, so that receivers can change over without a break."
          options={OVERLAPS}
          defaultValue={String(24 * HOUR)}
        />
        <ErrorNotice error={rotate.error} operation={['Webhooks', 'rotateWebhookSecret']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={rotate.isPending}>
            Replace
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
