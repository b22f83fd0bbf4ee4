import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Webhook } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { deliveriesOf, WEBHOOKS } from './webhook-keys.ts';
import { WebhookSecret } from './webhook-secret.tsx';

type Shown =
  | { readonly kind: 'change' | 'rotate' | 'replay' | 'delete' }
  | { readonly kind: 'secret'; readonly secret: string };

/** What can be done with a webhook. */
export function WebhookActions({ webhook }: { readonly webhook: Webhook }) {
  const { webhook_id: id, name, state } = webhook;
  const [shown, setShown] = useState<Shown>();
  const [, navigate] = useLocation();
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const close = () => setShown(undefined);
  const readAnew = () => {
    void client.invalidateQueries({ queryKey: WEBHOOKS });
    void client.invalidateQueries({ queryKey: deliveriesOf(id) });
  };
  const done = () => {
    close();
    readAnew();
  };
  const sendTest = useMutation({ mutationFn: () => account.testWebhook(id), onSuccess: readAnew });
  const turn = useMutation({
    mutationFn: (active: boolean) => withFreshFactor(() => account.updateWebhook(id, { active })),
    onSuccess: readAnew,
  });
  const isActive = state === 'active';
  return (
    <>
      <ErrorNotice error={sendTest.error ?? turn.error} operation={['Webhooks', 'testWebhook']} />
      <div className="actions">
        <Button
          type="button"
          disabled={!isActive}
          isBusy={sendTest.isPending}
          onClick={() => sendTest.mutate()}
        >
          Send a test event
        </Button>
        <Button type="button" onClick={() => setShown({ kind: 'change' })}>
          Change
        </Button>
        <Button type="button" onClick={() => setShown({ kind: 'rotate' })}>
          Replace the secret
        </Button>
        <Button type="button" onClick={() => setShown({ kind: 'replay' })}>
          Send again
        </Button>
        <Button type="button" isBusy={turn.isPending} onClick={() => turn.mutate(!isActive)}>
          {isActive ? 'Turn off' : 'Turn on'}
        </Button>
        <Button type="button" kind="danger" onClick={() => setShown({ kind: 'delete' })}>
          Delete
        </Button>
      </div>
      {shown?.kind === 'change' && <WebhookDialog webhook={webhook} onSaved={done} onClose={close} />}
      {shown?.kind === 'rotate' && (
        <RotateSecretDialog
          webhook={webhook}
          onRotated={({ secret }) => {
            setShown({ kind: 'secret', secret });
            readAnew();
          }}
          onClose={close}
        />
      )}
      {shown?.kind === 'secret' && <WebhookSecret name={name} secret={shown.secret} onClose={close} />}
      {shown?.kind === 'replay' && <ReplayDialog webhook={webhook} onDone={done} onClose={close} />}
      {shown?.kind === 'delete' && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          description="Nothing is sent to it any more, and its deliveries are gone. This cannot be undone."
          verb="Delete the webhook"
          act={() => account.deleteWebhook(id)}
          onDone={() => {
            void client.invalidateQueries({ queryKey: WEBHOOKS });
            navigate('/webhooks');
          }}
          onClose={close}
        />
      )}
    </>
  );
}
