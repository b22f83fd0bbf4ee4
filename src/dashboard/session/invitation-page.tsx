import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { sessions } from '../calls/session-calls.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Field } from '../parts/field.tsx';
import { readForm } from '../parts/read-form.ts';
import { EntryPage } from './entry-page.tsx';
import { dropLinkToken, takeLinkToken } from './link-token.ts';
import { MissingLinkPage } from './missing-link-page.tsx';
import { NewPasswordField } from './new-password-field.tsx';

/** Accepts an invitation. The link does not say whose it is, so the member then signs in with the email that was invited. */
export function InvitationPage() {
  const [token] = useState(takeLinkToken);
  const accept = useMutation({ mutationFn: sessions.acceptInvitation, onSuccess: dropLinkToken });
  if (accept.isSuccess) {
    return (
      <EntryPage title="You are a member" lead={`Your role is ${accept.data.role}.`}>
        <p className="center">
          <Link href="/">Sign in</Link>
        </p>
      </EntryPage>
    );
  }
  if (token === undefined) return <MissingLinkPage title="Accept the invitation" />;
  return (
    <EntryPage title="Accept the invitation" lead="Choose the name that others see, and a password.">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          accept.mutate({ token, name: readForm(form, 'name').trim(), password: readForm(form, 'password') });
        }}
      >
        <Field name="name" label="Your name" autoComplete="name" maxLength={100} required autoFocus />
        <NewPasswordField />
        <ErrorNotice error={accept.error} />
        <Button type="submit" kind="primary" isBusy={accept.isPending}>
          Accept
        </Button>
      </form>
    </EntryPage>
  );
}
