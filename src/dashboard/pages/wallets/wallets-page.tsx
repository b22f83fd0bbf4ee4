import { useParams } from 'wouter';
import { NotFoundPage } from '../not-found-page.tsx';
import { WalletPage } from './wallet-page.tsx';
import { WalletsListPage } from './wallets-list-page.tsx';
import './wallets-page.css';

/** Managed wallets of the account, and each of them. */
export function WalletsPage() {
  const { id, view } = useParams();
  if (id === undefined) return <WalletsListPage />;
  if (view !== undefined && view !== 'transactions' && view !== 'children') return <NotFoundPage />;
  return <WalletPage key={id} walletId={id} view={view} />;
}
