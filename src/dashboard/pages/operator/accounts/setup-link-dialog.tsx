import { useMutation } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Secret } from '../../../parts/secret.tsx';
import { Time } from '../../../parts/time.tsx';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import type { AccountDialogProps } from './account-dialog.ts';

/** Creates a link that makes its user an owner of the account, and shows it, once. */
export function SetupLinkDialog({ shown, onClose }: Pick<AccountDialogProps, 'shown' | 'onClose'>) {
  const withFreshFactor = useFreshCall();
  const create = useMutation({
    mutationFn: () => withFreshFactor(() => account.createAccountSetupLink(shown.account_id)),
    gcTime: 0,
  });
  if (create.data !== undefined) {
    return (
      <Dialog key="link" title={`Set-up link of ${shown.name}`} onClose={onClose} isSticky>
        <p>
          Whoever opens it becomes an owner of {shown.name}. It works once, until{' '}
          <Time at={create.data.expires_at} />.
        </p>
        <Secret text={create.data.link} label="Copy the link" />
        <div className="actions">
          <Button type="button" kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={`Create a set-up link for ${shown.name}?`}
      description="Whoever opens it becomes an owner of the account. Links that were made before stop working."
      onClose={onClose}
    >
      <ErrorNotice error={create.error} operation={['Operators', 'createAccountSetupLink']} />
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Cancel
        </Button>
        <Button type="button" kind="primary" isBusy={create.isPending} onClick={() => create.mutate()}>
          Create the link
        </Button>
      </div>
    </Dialog>
  );
}
