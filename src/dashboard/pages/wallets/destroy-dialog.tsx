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
import { walletName } from './wallet-name.ts';
import { nameOf, type Network } from '../../parts/networks.ts';
import { Sol } from '../../parts/number.tsx';
import { useBalance } from './use-balance.ts';

type DestroyDialogProps = {
  readonly wallet: WalletMetadata;
  readonly onDestroyed: () => void;
  readonly onClose: () => void;
};

/** Destroys a managed wallet permanently. Asks for a code of the second factor. */
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
      description="The key is destroyed. Everything in the wallet, on every network, is lost. This cannot be undone."
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
              Destroy permanently
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

/** The notice that a second factor is required to destroy wallets. */
function NotEnrolled({ onClose }: { readonly onClose: () => void }) {
  return (
    <>
      <div className="notice notice-warn" role="alert">
        <p>
          <strong>You have no second factor.</strong> Destroying a wallet needs a code of it.{' '}
          <Link href="/security">Set one up</Link>, then come back.
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

/** The funds of an address on each network, which would be lost. */
function FundsLeft({ address }: { readonly address: string }) {
  const { networks } = useSession();
  return (
    <ul>
      {networks.map((network) => (
        <NetworkFunds key={network.rpc_path} network={network} address={address} />
      ))}
    </ul>
  );
}

function NetworkFunds({ network, address }: { readonly network: Network; readonly address: string }) {
  const balance = useBalance(network.rpc_path, address);
  return (
    <li>
      <span className="muted">{nameOf(network)}: </span>
      {balance.data === undefined ? balance.isError ? 'not known' : '…' : <Sol lamports={balance.data} />}
    </li>
  );
}
