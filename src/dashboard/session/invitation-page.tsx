import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { AcceptInvitationRequest } from '../../../generated/account/types.ts';
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

/** Accepts an invitation, and signs the member in. */
export function InvitationPage() {
  const token = takeLinkToken();
  const [, go] = useLocation();
  const accept = useMutation({
    mutationFn: async (body: AcceptInvitationRequest) => {
      const { email, account_id } = await account.acceptInvitation(body);
      return await signInOnce({ email, password: body.password, account_id }, body.code);
    },
    onSuccess: (session) => {
      dropLinkToken();
      if (session !== undefined) enterSession(session);
      go('/');
    },
  });
  if (token === undefined) return <MissingLinkPage title="Accept the invitation" />;
  return (
    <EntryPage
      title="Accept the invitation"
      lead="Choose a password, and the name that others see. If you already sign in here with this email, use the same password to keep both accounts in one login."
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          accept.mutate({
            invitation_token: token,
            name: readForm(form, 'name').trim(),
            password: readForm(form, 'password'),
            ...readJoinCode(form),
          });
        }}
      >
        <Field name="name" label="Your name" autoComplete="name" maxLength={100} required autoFocus />
        <NewPasswordField />
        <JoinCode error={accept.error} />
        <Button type="submit" kind="primary" isBusy={accept.isPending}>
          Accept
        </Button>
      </form>
    </EntryPage>
  );
}
