import { useMutation } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Field } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { NewPasswordField } from '../../session/new-password-field.tsx';

type ChangePasswordDialogProps = { readonly onChanged: () => void; readonly onClose: () => void };

/** Replaces the password of the login. */
export function ChangePasswordDialog({ onChanged, onClose }: ChangePasswordDialogProps) {
  const withFreshFactor = useFreshCall();
  const change = useMutation({
    mutationFn: (body: Parameters<typeof account.changePassword>[0]) =>
      withFreshFactor(() => account.changePassword(body)),
    onSuccess: onChanged,
    gcTime: 0,
  });
  return (
    <Dialog title="Change the password" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          change.mutate({ password: readForm(form, 'current'), new_password: readForm(form, 'password') });
        }}
      >
        <Field
          name="current"
          type="password"
          label="Current password"
          autoComplete="current-password"
          required
          autoFocus
        />
        <NewPasswordField />
        <ErrorNotice error={change.error} operation={['Second factor', 'changePassword']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Change it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
