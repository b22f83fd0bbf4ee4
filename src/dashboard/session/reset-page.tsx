import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { failureCode } from '../calls/failure-code.ts';
import { requestPasswordReset, resetPassword } from '../calls/password-resets.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Field } from '../parts/field.tsx';
import { readForm } from '../parts/read-form.ts';
import { EntryPage } from './entry-page.tsx';
import { dropLinkToken, takeLinkToken } from './link-token.ts';
import { NewPasswordField } from './new-password-field.tsx';

/** Requests a link by email or, if opened by such a link, sets a new password. */
export function ResetPage() {
  const [token] = useState(takeLinkToken);
  return token === undefined ? <RequestLink /> : <ChoosePassword token={token} />;
}

function RequestLink() {
  const request = useMutation({ mutationFn: requestPasswordReset });
  if (request.isSuccess) {
    return (
      <EntryPage
        title="Check your email"
        lead={`If ${request.variables.email} has a login, a link to choose a new password is on its way.`}
      >
        <BackToSignIn />
      </EntryPage>
    );
  }
  const hasNoMail = failureCode(request.error) === 'mail_not_configured';
  return (
    <EntryPage
      title="Reset your password"
      lead="We send a link to choose a new password to your email address."
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          request.mutate({ email: readForm(event.currentTarget, 'email').trim() });
        }}
      >
        <Field name="email" type="email" label="Email" autoComplete="username" required autoFocus />
        {hasNoMail ? (
          <p className="notice" role="alert">
            This server does not send email. Ask its operator for a link to choose a new password.
          </p>
        ) : (
          <ErrorNotice error={request.error} />
        )}
        <Button type="submit" kind="primary" isBusy={request.isPending}>
          Send the link
        </Button>
        <BackToSignIn />
      </form>
    </EntryPage>
  );
}

function ChoosePassword({ token }: { readonly token: string }) {
  const reset = useMutation({ mutationFn: resetPassword, onSuccess: dropLinkToken });
  if (reset.isSuccess) {
    return (
      <EntryPage title="Password changed" lead="Sign in with the new one.">
        <BackToSignIn />
      </EntryPage>
    );
  }
  return (
    <EntryPage title="Choose a new password">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          reset.mutate({ token, password: readForm(event.currentTarget, 'password') });
        }}
      >
        <NewPasswordField />
        <ErrorNotice error={reset.error} />
        <Button type="submit" kind="primary" isBusy={reset.isPending}>
          Change the password
        </Button>
      </form>
    </EntryPage>
  );
}

function BackToSignIn() {
  return (
    <p className="center">
      <Link href="/">Sign in</Link>
    </p>
  );
}
