import { useMutation, useQueryClient } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import { ACCOUNTS_KEY } from '../keys.ts';
import { PlanSelect } from '../plan-select.tsx';

type CreateAccountDialogProps = {
  readonly onCreated: (id: string) => void;
  readonly onClose: () => void;
};

/** Creates an account: its name and its plan. */
export function CreateAccountDialog({ onCreated, onClose }: CreateAccountDialogProps) {
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: Parameters<typeof account.createAccount>[0]) =>
      withFreshFactor(() => account.createAccount(body)),
    onSuccess: ({ account_id }) => {
      void client.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      onCreated(account_id);
    },
  });
  return (
    <FormDialog
      title="Create an account"
      description="It has no member yet: on its page, create the set-up link for its first owner."
      action="Create"
      call={create}
      operation={['Operators', 'createAccount']}
      onSubmit={(form) => {
        const plan = readForm(form, 'plan');
        create.mutate({ name: readForm(form, 'name').trim(), ...(plan !== '' && { plan }) });
      }}
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        hint="Lower-case letters, digits, and . _ - between them, such as acme."
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <PlanSelect />
    </FormDialog>
  );
}
