import { nameOf, type Network } from '../../parts/networks.ts';
import { Sol } from '../../parts/number.tsx';
import { useSession } from '../../session/session.tsx';
import { useBalance } from './use-balance.ts';

/** What an address holds on each network: what would be lost. */
export function FundsLeft({ address }: { readonly address: string }) {
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
