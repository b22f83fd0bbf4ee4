import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  CreateWebhookRequest,
  NewWebhook,
  Webhook,
  LedgerChoice,
} from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field, TextArea, Select } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { splitLines } from '../../parts/split-lines.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { EVENT_TYPES } from '../../../../generated/account/events.ts';
import { nameOf, slugOf } from '../../parts/networks.ts';
import { useSession } from '../../session/session.tsx';
import { printFilters, readFilters } from './ledger-filters.ts';

type WebhookDialogProps = {
  /** The webhook to change; undefined: a new one is created. */
  readonly webhook?: Webhook;
  readonly onSaved: (saved: Webhook & Partial<Pick<NewWebhook, 'secret'>>) => void;
  readonly onClose: () => void;
};

/** Creates or changes a webhook: its name, its address, its events and their order. */
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
      name: readForm(form, 'name').trim(),
      url: readForm(form, 'url').trim(),
      events,
      ordered: fields.has('ordered'),
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
        hint="The receiver of the events, such as billing system."
        defaultValue={webhook?.name}
        maxLength={100}
        autoComplete="off"
        required
      />
      <Field
        name="url"
        type="url"
        label="URL"
        hint="An https URL at a public address, unless the server allows others."
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
        hint="One per line, such as wallet.sign. Without any choice, all events are sent."
        problem={strange === undefined ? undefined : `No event is called ${strange}.`}
        defaultValue={types.join('\n')}
        spellCheck={false}
      />
      <LedgerFields ledger={webhook?.ledger} />
      <label className="choice">
        <input type="checkbox" name="ordered" defaultChecked={webhook?.ordered ?? false} />
        <span>
          Deliver the events of each wallet in order: a failed event delays the later ones of its wallet
        </span>
      </label>
    </FormDialog>
  );
}

/** Groups of event types: the pattern of each group, and the number of its types. */
const EVENT_GROUPS: readonly { readonly pattern: string; readonly count: number }[] = [
  ...new Set(EVENT_TYPES.map((type) => `${type.slice(0, type.indexOf('.'))}.*`)),
]
  // Test events are always sent.
  .filter((pattern) => pattern !== 'webhook.*')
  .map((pattern) => ({ pattern, count: EVENT_TYPES.filter((type) => fits(type, pattern)).length }));

/** Returns the first pattern that matches no event type. */
function findStrangePattern(patterns: readonly string[]): string | undefined {
  return patterns.find((pattern) => !EVENT_TYPES.some((type) => fits(type, pattern)));
}

function fits(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

const COMMITMENTS = [
  { value: 'confirmed', text: 'Confirmed' },
  { value: 'finalized', text: 'Finalized' },
] as const;

/** The fields for ledger events. */
function LedgerFields({ ledger }: { readonly ledger: Webhook['ledger'] }) {
  const { networks } = useSession();
  return (
    <fieldset className="stack">
      <legend>Events of a ledger (optional)</legend>
      <TextArea
        name="filters"
        label="Addresses and signatures"
        hint="One per line: an address, a signature, or the word program and its address."
        defaultValue={printFilters(ledger?.filters ?? [])}
        spellCheck={false}
      />
      <Select
        name="network"
        label="Network"
        options={networks.map((network) => ({ value: slugOf(network), text: nameOf(network) }))}
        defaultValue={ledger?.network}
      />
      <Select
        name="commitment"
        label="From blocks that are"
        options={COMMITMENTS}
        defaultValue={ledger?.commitment ?? 'confirmed'}
      />
    </fieldset>
  );
}

/** Reads the fields. Undefined if no ledger events are or were chosen. */
function readLedgerFields(form: HTMLFormElement, before: Webhook['ledger']): LedgerChoice | undefined {
  const filters = readFilters(splitLines(readForm(form, 'filters')));
  if (filters.length === 0 && before === undefined) return undefined;
  const commitment = readForm(form, 'commitment') === 'finalized' ? 'finalized' : 'confirmed';
  return { network: readForm(form, 'network'), commitment, filters };
}
