import { Link } from 'wouter';
import type { WalletMetadata } from '../../../../generated/wallets/types.ts';
import { referenceOf } from '../../calls/places.ts';
import { Facts } from '../../parts/facts.tsx';
import { KeyText } from '../../parts/key-text.tsx';
import { Time } from '../../parts/time.tsx';
import { DerivationPath } from './wallet-columns.tsx';

/** What the server knows of a wallet. */
export function WalletFacts({ wallet }: { readonly wallet: WalletMetadata }) {
  const { address, wallet_id, derivation_path, master_wallet_id, key_protection, created_at } = wallet;
  return (
    <section className="panel" aria-labelledby="wallet-facts">
      <div className="panel-head">
        <h2 id="wallet-facts">Wallet</h2>
        <a href={referenceOf('Managed wallets', 'getWallet', 'wallets')}>Reference</a>
      </div>
      <Facts
        facts={[
          { name: 'Address', value: <KeyText text={address} noun="address" isWhole />, isWide: true },
          { name: 'Wallet id', value: <KeyText text={wallet_id} noun="wallet id" isWhole /> },
          { name: 'Custody', value: 'managed' },
          { name: 'Path', value: <DerivationPath path={derivation_path} /> },
          master_wallet_id === undefined
            ? undefined
            : {
                name: 'Master',
                value: <Link href={`/wallets/${master_wallet_id}`}>{master_wallet_id}</Link>,
              },
          { name: 'Created', value: <Time at={created_at} /> },
          { name: 'Key protection', value: key_protection, isWide: true },
        ]}
      />
    </section>
  );
}
