import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateTokenRequest } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { useSession } from '../../session/session.tsx';

type CreateTokenDialogProps = {
  readonly onCreated: (name: string, accessToken: string) => void;
  readonly onClose: () => void;
};

const DAY = 86_400;

const EXPIRIES = [
  { value: String(DAY), text: 'In a day' },
  { value: String(30 * DAY), text: 'In 30 days' },
  { value: String(90 * DAY), text: 'In 90 days' },
  { value: String(365 * DAY), text: 'In a year' },
  { value: '', text: 'Never, until it is revoked' },
];

/** Creates an access token: its name, its scopes among those of the member, and how long it works. */
export function CreateTokenDialog({ onCreated, onClose }: CreateTokenDialogProps) {
  const { scopes } = useSession();
  const withFreshFactor = useFreshCall();
  const [isScopeMissing, setScopeMissing] = useState(false);
  const create = useMutation({
    mutationFn: (body: CreateTokenRequest) => withFreshFactor(() => account.createToken(body)),
    onSuccess: ({ name, access_token }) => onCreated(name, access_token),
  });
  const submit = (form: HTMLFormElement): void => {
    const marked = new FormData(form).getAll('scope');
    const chosen = scopes.filter((scope) => marked.includes(scope));
    const seconds = readForm(form, 'expiry');
    setScopeMissing(chosen.length === 0);
    if (chosen.length === 0) return;
    create.mutate({
      name: readForm(form, 'name').trim(),
      scopes: chosen,
      ...(seconds !== '' && { expires_in_seconds: Number(seconds) }),
    });
  };
  return (
    <FormDialog
      title="Create an access token"
      action="Create"
      call={create}
      operation={['Access tokens', 'createToken']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        hint="What uses it, such as payouts."
        maxLength={100}
        autoComplete="off"
        required
      />
      <fieldset className="choices">
        <legend>Scopes</legend>
        {scopes.map((scope) => (
          <label key={scope}>
            <input type="checkbox" name="scope" value={scope} />
            <code>{scope}</code>
          </label>
        ))}
        {isScopeMissing && (
          <p className="field-problem" role="alert">
            Choose at least one.
          </p>
        )}
      </fieldset>
      <Select name="expiry" label="It stops working" options={EXPIRIES} defaultValue={String(90 * DAY)} />
    </FormDialog>
  );
}
