import { useMutation } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
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
    <FormDialog
      title="Change the password"
      action="Change it"
      call={change}
      operation={['Second factor', 'changePassword']}
      onSubmit={(form) =>
        change.mutate({ password: readForm(form, 'current'), new_password: readForm(form, 'password') })
      }
      onClose={onClose}
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
    </FormDialog>
  );
}
