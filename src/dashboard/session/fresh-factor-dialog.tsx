import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { account } from '../calls/account-client.ts';
import { enterSession } from '../calls/query-client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { CodeField } from './code-field.tsx';
import { readForm } from '../parts/read-form.ts';
import { useSession } from './session.tsx';

/** Asks for a code of the second factor, or to set one up first. Calls `onSettled` with true if it was confirmed. */
export function FreshFactorDialog({ onSettled }: { readonly onSettled: (isConfirmed: boolean) => void }) {
  const { has_second_factor } = useSession();
  const confirm = useMutation({
    mutationFn: (code: string) => account.confirmSecondFactor({ code }),
    onSuccess: (session) => {
      enterSession(session);
      onSettled(true);
    },
  });
  if (!has_second_factor) return <NoFactorDialog onClose={() => onSettled(false)} />;
  return (
    <Dialog
      title="Confirm your second factor"
      description="This change needs a code from the last five minutes."
      onClose={() => onSettled(false)}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          confirm.mutate(readForm(event.currentTarget, 'code').trim());
        }}
      >
        <CodeField />
        <ErrorNotice error={confirm.error} />
        <div className="actions">
          <Button type="button" onClick={() => onSettled(false)}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={confirm.isPending}>
            Confirm
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Shown if a change needs a second factor and the member has none. */
function NoFactorDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="Set up a second factor first"
      description="This change needs a code of an authenticator app, so that an open browser alone is not enough. Setting one up takes a minute."
      onClose={onClose}
    >
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Not now
        </Button>
        <Link href="/security" className="button button-primary" onClick={onClose}>
          Go to Security
        </Link>
      </div>
    </Dialog>
  );
}
