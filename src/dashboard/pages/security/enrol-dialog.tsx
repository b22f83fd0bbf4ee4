import { useMutation, useQueryClient } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { SESSION_KEY } from '../../calls/query-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { BackupCodeView } from './backup-code-view.tsx';
import { EnrolSecret } from './enrol-secret.tsx';

/** Enrols a second factor in three steps: the password, the first code of the secret, the backup codes. */
export function EnrolDialog({ onClose }: { readonly onClose: () => void }) {
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const begin = useMutation({
    mutationFn: (password: string) => withFreshFactor(() => account.beginSecondFactor({ password })),
    // A secret and codes are kept only while they are shown.
    gcTime: 0,
  });
  const enrol = useMutation({
    mutationFn: (code: string) => account.enrolSecondFactor({ code }),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION_KEY }),
    gcTime: 0,
  });
  if (enrol.data !== undefined) {
    return (
      <Dialog key="codes" title="Keep your backup codes" onClose={onClose} isSticky>
        <BackupCodeView codes={enrol.data.backup_codes} onClose={onClose} />
      </Dialog>
    );
  }
  if (begin.data !== undefined) {
    return (
      <FormDialog
        key="secret"
        title="Add it to your authenticator app"
        action="Confirm"
        call={enrol}
        operation={['Second factor', 'enrolSecondFactor']}
        onSubmit={(form) => enrol.mutate(readForm(form, 'code').trim())}
        onClose={onClose}
      >
        <EnrolSecret secret={begin.data} />
        <Field
          name="code"
          label="Code"
          hint="The six digits that the app shows now."
          autoComplete="one-time-code"
          inputMode="numeric"
          spellCheck={false}
          required
          autoFocus
        />
      </FormDialog>
    );
  }
  return (
    <FormDialog
      title="Set up a second factor"
      description="You need an authenticator app, such as Aegis, 1Password or Google Authenticator."
      action="Continue"
      call={begin}
      operation={['Second factor', 'beginSecondFactor']}
      onSubmit={(form) => begin.mutate(readForm(form, 'password'))}
      onClose={onClose}
    >
      <Field
        name="password"
        type="password"
        label="Your password"
        autoComplete="current-password"
        required
        autoFocus
      />
    </FormDialog>
  );
}
