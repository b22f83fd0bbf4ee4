import { useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session/session.tsx';
import { SessionPanel, SESSIONS_KEY } from './session-panel.tsx';
import './security-page.css';
import { Button } from '../../parts/button.tsx';
import { useAnnounce } from '../../parts/announcements.tsx';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { NewPasswordField } from '../../session/new-password-field.tsx';
import { Badge } from '../../parts/badge.tsx';
import { SESSION_KEY } from '../../calls/query-client.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import type { SecondFactorSecret } from '../../../../generated/account/types.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { QrCode } from './qr-code.tsx';
import { SERVER_ADDRESS } from '../../calls/places.ts';
import { backupCodeFile, groupSecret } from './describe-device.ts';

/** The login of the member: second factor, password, sessions. */
export function SecurityPage() {
  const { member } = useSession();
  return (
    <Page title="Security" lead={`Your login, ${member.email}, for all of your accounts.`}>
      <SecondFactorPanel />
      <PasswordPanel />
      <SessionPanel />
    </Page>
  );
}

/** The password of the login, and how to change it. */
function PasswordPanel() {
  const [isOpen, setOpen] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const announce = useAnnounce();
  const client = useQueryClient();
  return (
    <section className="panel" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <div className="setting">
        <p className="muted">
          {isChanged
            ? 'The password was changed, and all other sessions of your login have ended.'
            : 'Changing it ends all other sessions of your login, in other accounts as well.'}
        </p>
        <Button type="button" onClick={() => setOpen(true)}>
          Change the password
        </Button>
      </div>
      {isOpen && (
        <ChangePasswordDialog
          onChanged={() => {
            setOpen(false);
            setChanged(true);
            announce('The password was changed.');
            void client.invalidateQueries({ queryKey: SESSIONS_KEY });
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}

type ChangePasswordDialogProps = { readonly onChanged: () => void; readonly onClose: () => void };

/** Replaces the password of the login. */
function ChangePasswordDialog({ onChanged, onClose }: ChangePasswordDialogProps) {
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

/** With fewer backup codes than this, the page asks to renew them. */
const FEW = 3;

/** The second factor of the login: set it up, replace it, renew its backup codes. */
function SecondFactorPanel() {
  const { has_second_factor, backup_codes_left } = useSession();
  const [shown, setShown] = useState<'enrol' | 'codes'>();
  const close = () => setShown(undefined);
  return (
    <section className="panel" aria-labelledby="second-factor">
      <div className="panel-head">
        <h2 id="second-factor">Second factor</h2>
        <Badge tone={has_second_factor ? 'good' : 'off'}>{has_second_factor ? 'on' : 'off'}</Badge>
      </div>
      <div className="setting">
        <p>
          {has_second_factor
            ? 'Signing in asks for a code of your authenticator app.'
            : 'With a second factor, your password alone is not enough: signing in asks for a code of an authenticator app.'}{' '}
          <span className="muted">
            Changes to members and tokens, and replacing a key, need a code from the last five minutes, so
            that an open browser alone is not enough.
          </span>
        </p>
        <Button
          type="button"
          kind={has_second_factor ? 'plain' : 'primary'}
          onClick={() => setShown('enrol')}
        >
          {has_second_factor ? 'Replace it' : 'Set up a second factor'}
        </Button>
      </div>
      {has_second_factor && (
        <div className="setting">
          <p>
            <strong>
              {backup_codes_left === 1 ? '1 backup code is' : `${backup_codes_left} backup codes are`} left.
            </strong>{' '}
            <span className="muted">
              {backup_codes_left < FEW
                ? 'Create new ones before you run out.'
                : 'Each works once, in place of a code of your authenticator app.'}
            </span>
          </p>
          <Button type="button" onClick={() => setShown('codes')}>
            New backup codes
          </Button>
        </div>
      )}
      {shown === 'enrol' && <EnrolDialog onClose={close} />}
      {shown === 'codes' && <RenewCodesDialog onClose={close} />}
    </section>
  );
}

/** Replaces the backup codes and shows the new ones, once. */
function RenewCodesDialog({ onClose }: { readonly onClose: () => void }) {
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const renew = useMutation({
    mutationFn: () => withFreshFactor(() => account.renewBackupCodes()),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION_KEY }),
    gcTime: 0,
  });
  if (renew.data !== undefined) {
    return (
      <Dialog key="codes" title="Save your backup codes" onClose={onClose} isSticky>
        <BackupCodeView codes={renew.data.backup_codes} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="New backup codes?" description="Your current codes stop working." onClose={onClose}>
      <ErrorNotice error={renew.error} operation={['Second factor', 'renewBackupCodes']} />
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Cancel
        </Button>
        <Button type="button" kind="primary" isBusy={renew.isPending} onClick={() => renew.mutate()}>
          Create new codes
        </Button>
      </div>
    </Dialog>
  );
}

/** Enrols a second factor in three steps: the password, the first code of the secret, the backup codes. */
function EnrolDialog({ onClose }: { readonly onClose: () => void }) {
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const begin = useMutation({
    mutationFn: (password: string) => withFreshFactor(() => account.beginSecondFactor({ password })),
    // The secret and the codes are kept only while they are shown.
    gcTime: 0,
  });
  const enrol = useMutation({
    mutationFn: (code: string) => account.enrolSecondFactor({ code }),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION_KEY }),
    gcTime: 0,
  });
  if (enrol.data !== undefined) {
    return (
      <Dialog key="codes" title="Save your backup codes" onClose={onClose} isSticky>
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

/** The secret of a second factor, to scan or to type. */
function EnrolSecret({ secret: { secret, otpauth_uri } }: { readonly secret: SecondFactorSecret }) {
  return (
    <div className="enrol-secret">
      <QrCode text={otpauth_uri} label="QR code of the secret, which is also next to it as text" />
      <div className="stack">
        <p>Scan it with the app. Without a camera, type this secret:</p>
        <div className="secret">
          <code>{groupSecret(secret)}</code>
          <CopyButton text={secret} label="Copy the secret" />
        </div>
      </div>
    </div>
  );
}

type BackupCodeViewProps = { readonly codes: readonly string[]; readonly onClose: () => void };

/** Shows backup codes once, to copy, save and print. It closes when the member confirms that they are saved. */
function BackupCodeView({ codes, onClose }: BackupCodeViewProps) {
  const { member } = useSession();
  const [areKept, setKept] = useState(false);
  const { host } = new URL(SERVER_ADDRESS);
  return (
    <div className="stack">
      <p>
        Each of these codes works once, in place of a code of your authenticator app. They are not shown
        again.
      </p>
      <ul className="backup-codes" aria-label="Backup codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="backup-tools">
        <Button
          type="button"
          onClick={() => saveText('keyslot-backup-codes.txt', backupCodeFile(member.email, host, codes))}
        >
          Download
        </Button>
        <Button type="button" onClick={() => window.print()}>
          Print
        </Button>
        <CopyButton text={codes.join('\n')} label="Copy the backup codes" />
      </div>
      <label className="tick">
        <input type="checkbox" checked={areKept} onChange={(event) => setKept(event.currentTarget.checked)} />
        I have saved them
      </label>
      <div className="actions">
        <Button type="button" kind="primary" disabled={!areKept} onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}

/** Saves a text as a file. */
function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
