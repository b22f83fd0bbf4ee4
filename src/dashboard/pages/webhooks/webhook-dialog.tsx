import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateWebhookRequest, NewWebhook, Webhook } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field, TextArea } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { splitLines } from '../../parts/split-lines.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { LedgerFields, readLedgerFields } from './ledger-fields.tsx';
import { EVENT_GROUPS, findStrangePattern } from './event-patterns.ts';

type WebhookDialogProps = {
  /** The one that is changed; undefined: a new one is created. */
  readonly webhook?: Webhook;
  readonly onSaved: (saved: Webhook & Partial<Pick<NewWebhook, 'secret'>>) => void;
  readonly onClose: () => void;
};

/** Creates a webhook or changes one: its name, its address, its events and their order. */
export function WebhookDialog({ webhook, onSaved, onClose }: WebhookDialogProps) {
  const withFreshFactor = useFreshCall();
  const [strange, setStrange] = useState<string>();
  const save = useMutation({
    mutationFn: (body: CreateWebhookRequest): Promise<Parameters<typeof onSaved>[0]> =>
      withFreshFactor(() =>
        webhook === undefined ? account.createWebhook(body) : account.updateWebhook(webhook.webhook_id, body),
      ),
    onSuccess: onSaved,
  });
  const submit = (form: HTMLFormElement): void => {
    const fields = new FormData(form);
    const marked = fields.getAll('group').filter((group) => typeof group === 'string');
    const events = [...new Set([...marked, ...splitLines(readForm(form, 'types'))])];
    const found = findStrangePattern(events);
    setStrange(found);
    if (found !== undefined) return;
    const ledger = readLedgerFields(form, webhook?.ledger);
    save.mutate({
      ...(ledger !== undefined && { ledger }),
      ...{ name: readForm(form, 'name').trim(), url: readForm(form, 'url').trim() },
      ...{ events, ordered: fields.has('ordered') },
    });
  };
  const chosen = webhook?.events ?? [];
  const types = chosen.filter((event) => EVENT_GROUPS.every(({ pattern }) => pattern !== event));
  return (
    <FormDialog
      title={webhook === undefined ? 'Create a webhook' : `Change ${webhook.name}`}
      action={webhook === undefined ? 'Create' : 'Save'}
      call={save}
      operation={['Webhooks', webhook === undefined ? 'createWebhook' : 'updateWebhook']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        hint="What receives the events, such as billing system."
        defaultValue={webhook?.name}
        maxLength={100}
        autoComplete="off"
        required
      />
      <Field
        name="url"
        type="url"
        label="URL"
        hint="https, at a public address, unless the server allows others."
        defaultValue={webhook?.url}
        autoComplete="off"
        required
      />
      <fieldset className="choices">
        <legend>Events: all, or those of</legend>
        {EVENT_GROUPS.map(({ pattern, count }) => (
          <label key={pattern}>
            <input type="checkbox" name="group" value={pattern} defaultChecked={chosen.includes(pattern)} />
            <span>
              <code>{pattern}</code>, {count} types
            </span>
          </label>
        ))}
      </fieldset>
      <TextArea
        name="types"
        label="Single types (optional)"
        hint="One on each line, such as wallet.sign. Nothing chosen: all events."
        problem={strange === undefined ? undefined : `No event is called ${strange}.`}
        defaultValue={types.join('\n')}
        spellCheck={false}
      />
      <LedgerFields ledger={webhook?.ledger} />
      <label className="choice">
        <input type="checkbox" name="ordered" defaultChecked={webhook?.ordered ?? false} />
        <span>Events of one wallet come in order: one that fails holds up the later ones of its wallet</span>
      </label>
    </FormDialog>
  );
}
