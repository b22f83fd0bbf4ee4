import { useState } from 'react';
import { AddressSignatures } from '../../parts/address-signatures.tsx';
import { NetworkSelect } from '../../parts/network-select.tsx';
import { useSession } from '../../session/session.tsx';

/** The transactions that name a wallet, on one network. */
export function WalletTransactions({ address }: { readonly address: string }) {
  const { networks } = useSession();
  const [chosen, setChosen] = useState(networks[0]);
  if (chosen === undefined) return <p className="muted">This server serves no network.</p>;
  return (
    <section className="panel" aria-label="Transactions">
      {networks.length > 1 && (
        <div className="network-choice">
          <NetworkSelect networks={networks} value={chosen} onChange={setChosen} />
        </div>
      )}
      <AddressSignatures network={chosen} address={address} />
    </section>
  );
}
