import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { explorerPath, isTestNetwork, nameOf, type Network } from '../../parts/networks.ts';
import { Sol } from '../../parts/number.tsx';
import { AirdropButton } from './airdrop-button.tsx';
import { useLiveBalance } from './use-balance.ts';

type BalanceRowProps = {
  readonly network: Network;
  readonly address: string;
  /** Absent: the member may not sign. */
  readonly onSend?: () => void;
};

/** The balance of an address on one network, and what can be done with it there. */
export function BalanceRow({ network, address, onSend }: BalanceRowProps) {
  const balance = useLiveBalance(network.rpc_path, address);
  const client = useQueryClient();
  const isTest = isTestNetwork(network);
  return (
    <div className="balance-row">
      <div>
        <p className="muted">
          <Link href={explorerPath(network, address)}>{nameOf(network)}</Link>
        </p>
        <p className="balance-amount" aria-live="polite">
          {balance.data === undefined ? (
            <span className="number muted">{balance.isError ? 'not known' : '…'}</span>
          ) : (
            <Sol lamports={balance.data} />
          )}
        </p>
      </div>
      {isTest && (
        <div className="actions">
          <AirdropButton
            network={network}
            address={address}
            onArrived={() => void client.invalidateQueries({ queryKey: ['ledger', network.rpc_path] })}
          />
          {onSend !== undefined && (
            <Button type="button" aria-label={`Send on ${nameOf(network)}`} onClick={onSend}>
              Send
            </Button>
          )}
        </div>
      )}
      <ErrorNotice error={balance.error} operation={['Accounts', 'getBalance', 'ledger']} />
    </div>
  );
}
