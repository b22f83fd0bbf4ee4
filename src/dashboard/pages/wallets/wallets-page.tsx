import { Page } from '../../parts/page.tsx';

/** The page "Wallets". */
export function WalletsPage() {
  return <Page title="Wallets" />;
}
