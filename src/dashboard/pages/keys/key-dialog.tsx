import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey, UpdatedKey, UpdateKeyRequest } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { describeError } from '../../parts/describe-error.ts';
import { Field, TextArea } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { nameOf, slugOf } from '../../parts/networks.ts';
import { readForm } from '../../parts/read-form.ts';
import { splitLines } from '../../parts/split-lines.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { useSession } from '../../session/session.tsx';

type CreateKeyDialogProps = {
  readonly onCreated: (name: string, apiKey: string) => void;
  readonly onClose: () => void;
};

/** Creates an API key with a name and, optionally, restrictions on its use. */
export function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
  const withFreshFactor = useFreshCall();
  const [sent, setSent] = useState<UpdateKeyRequest>({});
  const create = useMutation({
    mutationFn: (body: Parameters<typeof account.createKey>[0]) =>
      withFreshFactor(() => account.createKey(body)),
    onSuccess: ({ name, api_key }) => onCreated(name, api_key),
  });
  return (
    <FormDialog
      title="Create an API key"
      action="Create"
      call={withoutFieldFaults(create)}
      operation={['API keys', 'createKey']}
      onSubmit={(form) => {
        const chosen = readRules(form);
        const rules = Object.fromEntries(
          Object.entries(chosen).filter(([, value]) => !EMPTY.has(String(value))),
        );
        setSent(rules);
        create.mutate({ name: readForm(form, 'name').trim(), ...rules });
      }}
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        hint="What uses it, such as checkout."
        maxLength={100}
        autoComplete="off"
        required
      />
      <RuleFields problemOf={createProblemOf(create.error, sent)} />
    </FormDialog>
  );
}

type EditKeyDialogProps = {
  readonly apiKey: ApiKey;
  readonly onSaved: () => void;
  readonly onClose: () => void;
};

/** Changes the restrictions of a key. The server checks them first, and the member sees the differences before they are saved. */
export function EditKeyDialog({ apiKey, onSaved, onClose }: EditKeyDialogProps) {
  const withFreshFactor = useFreshCall();
  const [sent, setSent] = useState<UpdateKeyRequest>({});
  const [changes, setChanges] = useState<UpdatedKey['changes']>();
  const update = (body: UpdateKeyRequest) => withFreshFactor(() => account.updateKey(apiKey.key_id, body));
  const check = useMutation({
    mutationFn: (body: UpdateKeyRequest) => update({ ...body, dry_run: true }),
    onSuccess: (checked) => setChanges(checked.changes),
  });
  const save = useMutation({ mutationFn: update, onSuccess: onSaved });
  const isReviewing = changes !== undefined && changes.length > 0;
  const call = isReviewing ? save : check;
  return (
    <FormDialog
      title={`Edit ${apiKey.name}`}
      description={`Applies within a second to requests with the key ${apiKey.prefix}…, and to what is open.`}
      action={isReviewing ? 'Save' : 'Review changes'}
      call={withoutFieldFaults(call)}
      operation={['API keys', 'updateKey']}
      moreActions={
        isReviewing && (
          <Button type="button" onClick={() => setChanges(undefined)}>
            Back
          </Button>
        )
      }
      onSubmit={(form) => {
        if (isReviewing) return save.mutate(sent);
        const rules = readRules(form, apiKey);
        setSent(rules);
        check.mutate(rules);
      }}
      onClose={onClose}
    >
      <div className="stack" hidden={isReviewing}>
        <RuleFields apiKey={apiKey} problemOf={createProblemOf(check.error, sent)} />
      </div>
      {isReviewing && (
        <Table
          caption="What changes"
          columns={CHANGE_COLUMNS}
          rows={changes}
          keyOf={({ member }) => member}
        />
      )}
      {changes?.length === 0 && <p role="status">Nothing is different yet.</p>}
    </FormDialog>
  );
}

/** Names of restrictions for people, by their members. */
const TITLES: Readonly<Record<string, string>> = {
  allowed_methods: 'May call',
  allowed_networks: 'Ledger networks',
  allowed_origins: 'Origins',
  allowed_cidrs: 'Client networks',
  requests_per_second: 'Requests per second',
  requests_per_day: 'Requests per day',
  expires_at: 'End date',
};

const CHANGE_COLUMNS: readonly Column<UpdatedKey['changes'][number]>[] = [
  { title: 'Restriction', show: ({ member }) => TITLES[member] ?? member },
  { title: 'Now', show: ({ before }) => before },
  { title: 'From now on', show: ({ after }) => <strong>{after}</strong> },
];

const GROUPS = [
  { group: 'read', text: 'Read accounts, blocks and transactions' },
  { group: 'send', text: 'Send transactions' },
  { group: 'subscribe', text: 'Subscribe over WebSocket and to topics' },
] as const;

type RuleFieldsProps = {
  /** The key to change; undefined: a new one. */
  readonly apiKey?: ApiKey;
  readonly problemOf: (member: keyof UpdateKeyRequest) => string | undefined;
};

function RuleFields({ apiKey, problemOf }: RuleFieldsProps) {
  const { networks } = useSession();
  const { allowed_methods: methods = [], allowed_networks: chosen = [] } = apiKey ?? {};
  const names = methods.filter((method) => GROUPS.every(({ group }) => group !== method));
  const known = networks.map((network) => ({ slug: slugOf(network), title: nameOf(network) }));
  const others = chosen.filter((slug) => known.every((network) => network.slug !== slug));
  return (
    <>
      <fieldset className="choices">
        <legend>It may call: everything, or only</legend>
        {GROUPS.map(({ group, text }) => (
          <label key={group}>
            <input type="checkbox" name="group" value={group} defaultChecked={methods.includes(group)} />
            <span>
              {text} (<code>{group}</code>)
            </span>
          </label>
        ))}
      </fieldset>
      <TextArea
        name="methods"
        label="Single methods (optional)"
        hint="One per line, such as getBalance, slotSubscribe or Subscribe.slots."
        defaultValue={names.join('\n')}
        problem={problemOf('allowed_methods')}
        spellCheck={false}
      />
      <Field
        name="perSecond"
        label="Requests per second (optional)"
        hint="Each call counts as one. Leave empty for the limit of the plan."
        inputMode="numeric"
        pattern="[0-9]{1,10}"
        title="A whole number"
        defaultValue={apiKey?.requests_per_second}
        problem={problemOf('requests_per_second')}
      />
      <Field
        name="perDay"
        label="Requests per day (optional)"
        hint="In any 24 hours. Leave empty for the limit of the plan."
        inputMode="numeric"
        pattern="[0-9]{1,15}"
        title="A whole number"
        defaultValue={apiKey?.requests_per_day}
        problem={problemOf('requests_per_day')}
      />
      <Field
        name="end"
        type="date"
        label="End date (optional)"
        hint="It stops working when this day begins, in UTC."
        defaultValue={dayOf(apiKey)}
        problem={problemOf('expires_at')}
      />
      <fieldset className="choices">
        <legend>Ledger networks: all, or only</legend>
        {[...known, ...others.map((slug) => ({ slug, title: slug }))].map(({ slug, title }) => (
          <label key={slug}>
            <input type="checkbox" name="network" value={slug} defaultChecked={chosen.includes(slug)} />
            {title}
          </label>
        ))}
      </fieldset>
      {problemOf('allowed_networks') !== undefined && (
        <p className="field-problem">{problemOf('allowed_networks')}</p>
      )}
      <TextArea
        name="origins"
        label="Origins (optional)"
        hint="Web pages that may use the key, one per line, such as https://app.example. Leave empty for any."
        defaultValue={apiKey?.allowed_origins.join('\n')}
        problem={problemOf('allowed_origins')}
        spellCheck={false}
      />
      <TextArea
        name="cidrs"
        label="Client networks (optional)"
        hint="IP addresses that may use the key, one per line, such as 203.0.113.0/24. Leave empty for any."
        defaultValue={apiKey?.allowed_cidrs.join('\n')}
        problem={problemOf('allowed_cidrs')}
        spellCheck={false}
      />
    </>
  );
}

/** Values of a new key's fields that restrict nothing. */
const EMPTY: ReadonlySet<string> = new Set(['', '0', 'never']);

function dayOf(key: ApiKey | undefined): string {
  return key?.expires_at?.slice(0, 10) ?? '';
}

/** Reads the fields of restrictions. An end date that was not touched is left out: the key may end within that day. */
function readRules(form: HTMLFormElement, before?: ApiKey): UpdateKeyRequest {
  const fields = new FormData(form);
  const chosen = (name: string) => fields.getAll(name).filter((value) => typeof value === 'string');
  const day = readForm(form, 'end');
  return {
    allowed_methods: [...chosen('group'), ...splitLines(readForm(form, 'methods'))],
    requests_per_second: Number(readForm(form, 'perSecond')),
    requests_per_day: Number(readForm(form, 'perDay')),
    ...(day !== dayOf(before) && { expires_at: day === '' ? 'never' : `${day}T00:00:00.000Z` }),
    allowed_networks: chosen('network'),
    allowed_origins: [...splitLines(readForm(form, 'origins'))],
    allowed_cidrs: [...splitLines(readForm(form, 'cidrs'))],
  };
}

/** Returns the function that finds the fault of a field among those of a refused body, with the item that it is about. */
function createProblemOf(error: unknown, sent: UpdateKeyRequest): RuleFieldsProps['problemOf'] {
  const faults = Object.entries(describeError(error).fields).map(([pointer, detail]) => {
    const [, member = '', index] = pointer.split('/');
    const list = sent[member as keyof UpdateKeyRequest];
    const item = Array.isArray(list) && index !== undefined ? `${String(list[Number(index)])} ` : '';
    return { member, text: `${item}${detail}.` };
  });
  return (member) =>
    faults.some((fault) => fault.member === member)
      ? faults
          .filter((fault) => fault.member === member)
          .map(({ text }) => text)
          .join(' ')
      : undefined;
}

/** The call as the form shows it: faults of fields are at the fields. */
function withoutFieldFaults({ error, isPending }: { readonly error: unknown; readonly isPending: boolean }) {
  const isAtFields = error !== null && Object.keys(describeError(error).fields).length > 0;
  return { error: isAtFields ? null : error, isPending };
}
