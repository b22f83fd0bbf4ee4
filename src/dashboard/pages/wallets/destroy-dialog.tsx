import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { WalletMetadata } from '../../../../generated/wallets/types.ts';
import { wallets } from '../../calls/credentials.ts';
import { failureCode } from '../../calls/failure-code.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { readForm } from '../../parts/read-form.ts';
import { CodeField } from '../../session/code-field.tsx';
import { useSession } from '../../session/session.tsx';
import { FundsLeft } from './funds-left.tsx';
import { walletName } from './wallet-name.ts';

type DestroyDialogProps = {
  readonly wallet: WalletMetadata;
  readonly onDestroyed: () => void;
  readonly onClose: () => void;
};

/** Destroys a managed wallet for good. Asks for a code of the second factor. */
export function DestroyDialog({ wallet, onDestroyed, onClose }: DestroyDialogProps) {
  const { has_second_factor } = useSession();
  const client = useQueryClient();
  const destroy = useMutation({
    mutationFn: async (twoFactorCode: string) =>
      (await wallets()).destroyWallet(wallet.wallet_id, { twoFactorCode }),
    onSuccess: () => {
      client.removeQueries({ queryKey: ['wallet', wallet.wallet_id] });
      void client.invalidateQueries({ queryKey: ['wallets'] });
      onDestroyed();
    },
  });
  const isNotEnrolled = !has_second_factor || failureCode(destroy.error) === 'two_factor_not_enrolled';
  return (
    <Dialog
      title={`Destroy ${walletName(wallet)}?`}
      description="The key is destroyed. What the wallet holds, on every network, is lost. This cannot be undone."
      onClose={onClose}
    >
      <div className="wallet-named">
        <code className="whole">{wallet.address}</code>
        <FundsLeft address={wallet.address} />
      </div>
      {isNotEnrolled ? (
        <NotEnrolled onClose={onClose} />
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            destroy.mutate(readForm(event.currentTarget, 'code').trim());
          }}
        >
          <CodeField />
          <ErrorNotice error={destroy.error} operation={['Managed wallets', 'destroyWallet', 'wallets']} />
          <div className="actions">
            <Button type="button" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" kind="danger" isBusy={destroy.isPending}>
              Destroy for good
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

/** Where a second factor is enrolled, without which no wallet is destroyed. */
function NotEnrolled({ onClose }: { readonly onClose: () => void }) {
  return (
    <>
      <div className="notice notice-warn" role="alert">
        <p>
          <strong>You have no second factor.</strong> Wallets are destroyed with a code of it.{' '}
          <Link href="/security">Enrol one</Link>, then come back.
        </p>
      </div>
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Close
        </Button>
      </div>
    </>
  );
}
