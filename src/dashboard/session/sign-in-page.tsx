import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { SignInRequest } from '../../../generated/account/types.ts';
import { account } from '../calls/account-client.ts';
import { failureCode } from '../calls/failure-code.ts';
import { enterSession } from '../calls/query-client.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Field } from '../parts/field.tsx';
import { readForm } from '../parts/read-form.ts';
import { CodeField } from './code-field.tsx';
import { EntryPage } from './entry-page.tsx';

/** Signs a member in: email and password, then a code if the login has a second factor. */
export function SignInPage() {
  const [login, setLogin] = useState<SignInRequest>();
  const signIn = useMutation({
    mutationFn: (request: SignInRequest) => account.signIn(request),
    onSuccess: enterSession,
    onError: (error, request) => {
      if (failureCode(error) === 'second_factor_required') setLogin(request);
    },
  });
  if (login !== undefined) {
    return (
      <EntryPage title="Second factor" lead={`Signing in as ${login.email}`}>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            signIn.mutate({ ...login, code: readForm(event.currentTarget, 'code').trim() });
          }}
        >
          <CodeField />
          <ErrorNotice error={failureCode(signIn.error) === 'second_factor_required' ? null : signIn.error} />
          <Button type="submit" kind="primary" isBusy={signIn.isPending}>
            Sign in
          </Button>
          <Button
            type="button"
            kind="quiet"
            onClick={() => {
              setLogin(undefined);
              signIn.reset();
            }}
          >
            Use another login
          </Button>
        </form>
      </EntryPage>
    );
  }
  return (
    <EntryPage title="Sign in">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          signIn.mutate({ email: readForm(form, 'email').trim(), password: readForm(form, 'password') });
        }}
      >
        <Field name="email" type="email" label="Email" autoComplete="username" required autoFocus />
        <Field name="password" type="password" label="Password" autoComplete="current-password" required />
        <ErrorNotice error={failureCode(signIn.error) === 'second_factor_required' ? null : signIn.error} />
        <Button type="submit" kind="primary" isBusy={signIn.isPending}>
          Sign in
        </Button>
        <p className="center">
          <Link href="/reset">Forgot your password?</Link>
        </p>
      </form>
    </EntryPage>
  );
}
