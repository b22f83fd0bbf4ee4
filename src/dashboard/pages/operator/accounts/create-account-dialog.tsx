import { useMutation, useQueryClient } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
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
    <Dialog
      title="Create an account"
      description="It has no member yet: on its page, create the set-up link for its first owner."
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const plan = readForm(form, 'plan');
          create.mutate({ name: readForm(form, 'name').trim(), ...(plan !== '' && { plan }) });
        }}
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
        <ErrorNotice error={create.error} operation={['Operators', 'createAccount']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
