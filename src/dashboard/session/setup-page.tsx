import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { AcceptSetupLinkRequest } from '../../../generated/account/types.ts';
import { account } from '../calls/account-client.ts';
import { enterSession } from '../calls/query-client.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { readForm } from '../parts/read-form.ts';
import { EntryPage } from './entry-page.tsx';
import { JoinCode, readJoinCode, signInOnce } from './join-code.tsx';
import { dropLinkToken, takeLinkToken } from './link-token.ts';
import { MissingLinkPage } from './missing-link-page.tsx';
import { NewPasswordField } from './new-password-field.tsx';

/** Creates the first member of an account from a set-up link, and signs the member in. */
export function SetupPage() {
  const token = takeLinkToken();
  const [, go] = useLocation();
  const accept = useMutation({
    mutationFn: async (login: AcceptSetupLinkRequest) => {
      const { account_id } = await account.acceptSetupLink(login);
      return await signInOnce({ email: login.email, password: login.password, account_id }, login.code);
    },
    onSuccess: (session) => {
      dropLinkToken();
      if (session !== undefined) enterSession(session);
      go('/');
    },
  });
  if (token === undefined) return <MissingLinkPage title="Set up your account" />;
  return (
    <EntryPage title="Set up your account" lead="You will be its first owner.">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          accept.mutate({
            setup_token: token,
            email: readForm(form, 'email').trim(),
            name: readForm(form, 'name').trim(),
            password: readForm(form, 'password'),
            ...readJoinCode(form),
          });
        }}
      >
        <Field name="email" type="email" label="Email" autoComplete="username" required autoFocus />
        <Field name="name" label="Your name" autoComplete="name" maxLength={100} required />
        <NewPasswordField />
        <JoinCode error={accept.error} />
        <Button type="submit" kind="primary" isBusy={accept.isPending}>
          Create the login
        </Button>
      </form>
    </EntryPage>
  );
}
