import { useMutation } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field, TextArea } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { splitLines } from '../../parts/split-lines.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';

type CreateKeyDialogProps = {
  readonly onCreated: (name: string, apiKey: string) => void;
  readonly onClose: () => void;
};

/** Creates an API key: its name and, where wanted, where it may be used from. */
export function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
  const withFreshFactor = useFreshCall();
  const create = useMutation({
    mutationFn: (body: Parameters<typeof account.createKey>[0]) =>
      withFreshFactor(() => account.createKey(body)),
    onSuccess: ({ name, api_key }) => onCreated(name, api_key),
  });
  return (
    <FormDialog
      title="Create an API key"
      action="Create"
      call={create}
      operation={['API keys', 'createKey']}
      onSubmit={(form) => {
        const origins = splitLines(readForm(form, 'origins'));
        const cidrs = splitLines(readForm(form, 'cidrs'));
        create.mutate({
          name: readForm(form, 'name').trim(),
          ...(origins.length > 0 && { allowed_origins: origins }),
          ...(cidrs.length > 0 && { allowed_cidrs: cidrs }),
        });
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
      <TextArea
        name="origins"
        label="Origins (optional)"
        hint="Pages that may use it, one on each line, such as https://app.example. Empty: any."
        spellCheck={false}
      />
      <TextArea
        name="cidrs"
        label="Networks (optional)"
        hint="Addresses that may use it, one on each line, such as 203.0.113.0/24. Empty: any."
        spellCheck={false}
      />
    </FormDialog>
  );
}
