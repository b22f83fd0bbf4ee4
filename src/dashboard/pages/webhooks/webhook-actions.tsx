import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Webhook, NewWebhook } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { deliveriesOf, WEBHOOKS } from './webhook-keys.ts';
import { OverlapDialog } from '../../parts/overlap-dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Snippet } from '../../parts/snippet.tsx';

type Shown =
  | { readonly kind: 'change' | 'rotate' | 'replay' | 'delete' }
  | { readonly kind: 'secret'; readonly secret: string };

/** The actions of a webhook. */
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
          description="No more events are sent to it, and its deliveries are deleted. This cannot be undone."
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

type RotateSecretDialogProps = {
  readonly webhook: Webhook;
  readonly onRotated: (webhook: NewWebhook) => void;
  readonly onClose: () => void;
};

/** Replaces the secret of a webhook. Events are signed with both secrets for the chosen time. */
function RotateSecretDialog({ webhook, onRotated, onClose }: RotateSecretDialogProps) {
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
      hint="Events are signed with both until then, so that receivers can switch without downtime."
      action="Replace"
      maxDays={7}
      call={rotate}
      operation={['Webhooks', 'rotateWebhookSecret']}
      onReplace={rotate.mutate}
      onClose={onClose}
    />
  );
}

type ReplayDialogProps = {
  readonly webhook: Webhook;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Sends all events again, starting at a record of the audit log. */
function ReplayDialog({ webhook, onDone, onClose }: ReplayDialogProps) {
  const replay = useMutation({
    mutationFn: (from_seq: number) => account.replayWebhook(webhook.webhook_id, { from_seq }),
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title={`Send events to ${webhook.name} again`}
      description="All of its events are sent again with the same webhook-id, so that the receiver can recognise those that it already has."
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
        label="Start at this record of the audit log"
        hint={`It has reached record ${webhook.position}.`}
        defaultValue={1}
        required
      />
    </FormDialog>
  );
}

type WebhookSecretProps = {
  readonly name: string;
  readonly secret: string;
  readonly onClose: () => void;
};

const RECEIVER = `import { createServer } from 'node:http';
import { parseWebhook } from '@keyslot/client/account';

createServer(async (request, response) => {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  const { headers } = request;
  const event = await parseWebhook({ body, headers, secret: process.env.WEBHOOK_SECRET });
  console.log(event.type, event.data);
  response.end();
}).listen(3000);`;

/** Shows the secret of a webhook once, with a receiver that verifies events. */
export function WebhookSecret({ name, secret, onClose }: WebhookSecretProps) {
  return (
    <Dialog title={`The secret of ${name}`} onClose={onClose} isSticky>
      <Secret text={secret} label="Copy the secret" kept="it sealed" />
      <p>
        A receiver for Node, with the secret in WEBHOOK_SECRET. Any Standard Webhooks library works as well.
      </p>
      <Snippet code={RECEIVER} label="Copy the receiver" />
      <div className="actions">
        <Button type="button" kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
