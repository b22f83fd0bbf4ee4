import { Link } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';

/** Shown for a wallet that the account does not have. */
export function MissingWallet() {
  return (
    <Page title="Wallet not found">
      <EmptyState title="The account has no such wallet">
        <p>It was destroyed, it never existed, or it belongs to another account.</p>
        <p>
          <Link href="/wallets">All wallets</Link>
        </p>
      </EmptyState>
    </Page>
  );
}
