import { useMutation } from '@tanstack/react-query';
import type { NewWebhook, Webhook } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { OverlapDialog } from '../../parts/overlap-dialog.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';

type RotateSecretDialogProps = {
  readonly webhook: Webhook;
  readonly onRotated: (webhook: NewWebhook) => void;
  readonly onClose: () => void;
};

/** Replaces the secret of a webhook. Events are signed with both for as long as is chosen. */
export function RotateSecretDialog({ webhook, onRotated, onClose }: RotateSecretDialogProps) {
  const withFreshFactor = useFreshCall();
  const rotate = useMutation({
    mutationFn: (overlap_seconds: number) =>
      withFreshFactor(() => account.rotateWebhookSecret(webhook.webhook_id, { overlap_seconds })),
    onSuccess: onRotated,
  });
  return (
    <OverlapDialog
      title={`Replace the secret of ${webhook.name}`}
      description="The new one is shown once."
      label="The old secret stops signing"
      hint="Events are signed with both until then, so that receivers can change over without a break."
      action="Replace"
      maxDays={7}
      call={rotate}
      operation={['Webhooks', 'rotateWebhookSecret']}
      onReplace={rotate.mutate}
      onClose={onClose}
    />
  );
}
