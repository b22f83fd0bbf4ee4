import { useMutation, useQueryClient } from '@tanstack/react-query';
import { account } from '../../calls/account-client.ts';
import { SESSION_KEY } from '../../calls/query-client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { BackupCodeView } from './backup-code-view.tsx';

/** Replaces the backup codes and shows the new ones, once. */
export function RenewCodesDialog({ onClose }: { readonly onClose: () => void }) {
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const renew = useMutation({
    mutationFn: () => withFreshFactor(() => account.renewBackupCodes()),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION_KEY }),
    gcTime: 0,
  });
  if (renew.data !== undefined) {
    return (
      <Dialog key="codes" title="Keep your backup codes" onClose={onClose} isSticky>
        <BackupCodeView codes={renew.data.backup_codes} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog
      title="New backup codes?"
      description="The codes that you have now stop working, used or not."
      onClose={onClose}
    >
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
