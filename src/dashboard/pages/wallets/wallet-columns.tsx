import { Link } from 'wouter';
import type { WalletMetadata } from '../../../../generated/wallets/types.ts';
import { KeyText } from '../../parts/key-text.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { walletName } from './wallet-name.ts';

/** Columns of a list of managed wallets. */
export const WALLET_COLUMNS: readonly Column<WalletMetadata>[] = [
  {
    title: 'Wallet',
    share: 1.4,
    show: (wallet) => (
      <span className="cell-lines">
        <Link href={`/wallets/${wallet.wallet_id}`}>{walletName(wallet)}</Link>
        <code className="muted">{wallet.wallet_id}</code>
      </span>
    ),
  },
  { title: 'Address', share: 1.2, show: ({ address }) => <KeyText text={address} noun="address" /> },
  { title: 'Path', show: ({ derivation_path }) => <DerivationPath path={derivation_path} /> },
  { title: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
];

/** Where a wallet stands below its master. */
export function DerivationPath({ path }: { readonly path: string | undefined }) {
  if (path === undefined) return <span className="muted">not derived</span>;
  return path === 'm' ? <>HD master</> : <code>{path}</code>;
}
