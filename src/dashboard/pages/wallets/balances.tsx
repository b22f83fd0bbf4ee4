import { useState } from 'react';
import type { WalletMetadata } from '../../../../generated/wallets/types.ts';
import { referenceOf } from '../../calls/places.ts';
import type { Network } from '../../parts/networks.ts';
import { useScopes, useSession } from '../../session/session.tsx';
import { BalanceRow } from './balance-row.tsx';
import { SendDialog } from './send/send-dialog.tsx';

/** What a wallet has on each network, as it changes. */
export function Balances({ wallet }: { readonly wallet: WalletMetadata }) {
  const { networks } = useSession();
  const maySign = useScopes('wallets:sign');
  const [sending, setSending] = useState<Network>();
  return (
    <section className="panel" aria-labelledby="balances">
      <div className="panel-head">
        <h2 id="balances">Balances</h2>
        <a href={referenceOf('Accounts', 'getBalance', 'ledger')}>Reference</a>
      </div>
      <div className="balance-rows">
        {networks.map((network) => (
          <BalanceRow
            key={network.rpc_path}
            network={network}
            address={wallet.address}
            {...(maySign && { onSend: () => setSending(network) })}
          />
        ))}
      </div>
      {sending !== undefined && (
        <SendDialog wallet={wallet} network={sending} onClose={() => setSending(undefined)} />
      )}
    </section>
  );
}
