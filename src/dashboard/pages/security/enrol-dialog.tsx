import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SecondFactorSecret } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { SESSION_KEY } from '../../calls/query-client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
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
      <Dialog key="secret" title="Add it to your authenticator app" onClose={onClose}>
        <CodeForm secret={begin.data} enrol={enrol} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog
      title="Set up a second factor"
      description="You need an authenticator app, such as Aegis, 1Password or Google Authenticator."
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          begin.mutate(readForm(event.currentTarget, 'password'));
        }}
      >
        <Field
          name="password"
          type="password"
          label="Your password"
          autoComplete="current-password"
          required
          autoFocus
        />
        <ErrorNotice error={begin.error} operation={['Second factor', 'beginSecondFactor']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={begin.isPending}>
            Continue
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type CodeFormProps = {
  readonly secret: SecondFactorSecret;
  readonly enrol: {
    readonly mutate: (code: string) => void;
    readonly error: unknown;
    readonly isPending: boolean;
  };
  readonly onClose: () => void;
};

function CodeForm({ secret, enrol, onClose }: CodeFormProps) {
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        enrol.mutate(readForm(event.currentTarget, 'code').trim());
      }}
    >
      <EnrolSecret secret={secret} />
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
      <ErrorNotice error={enrol.error} operation={['Second factor', 'enrolSecondFactor']} />
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" kind="primary" isBusy={enrol.isPending}>
          Confirm
        </Button>
      </div>
    </form>
  );
}
