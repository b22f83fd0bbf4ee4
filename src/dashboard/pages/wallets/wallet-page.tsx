import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { WalletMetadata } from '../../../../generated/wallets/types.ts';
import { wallets } from '../../calls/credentials.ts';
import { failureCode } from '../../calls/failure-code.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Page } from '../../parts/page.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { type Tab, Tabs } from '../../parts/tabs.tsx';
import { useScopes } from '../../session/session.tsx';
import { Balances } from './balances.tsx';
import { ChildList } from './child-list.tsx';
import { DestroyDialog } from './destroy-dialog.tsx';
import { MissingWallet } from './missing-wallet.tsx';
import { SignDialog } from './sign-dialog.tsx';
import { WalletFacts } from './wallet-facts.tsx';
import { walletName } from './wallet-name.ts';
import { WalletTransactions } from './wallet-transactions.tsx';

type View = 'transactions' | 'children' | undefined;

/** A managed wallet, and what can be done with it. */
export function WalletPage({ walletId, view }: { readonly walletId: string; readonly view: View }) {
  const wallet = useQuery({
    queryKey: ['wallet', walletId],
    queryFn: async ({ signal }) => (await wallets()).getWallet(walletId, { signal }),
    staleTime: 60_000,
  });
  if (wallet.isPending) return <PageFrame />;
  if (wallet.data !== undefined) return <WalletViews wallet={wallet.data} view={view} />;
  if (failureCode(wallet.error) === 'wallet_not_found') return <MissingWallet />;
  return (
    <Page title="Wallet">
      <ErrorNotice error={wallet.error} operation={['Managed wallets', 'getWallet', 'wallets']}>
        <Button type="button" onClick={() => void wallet.refetch()}>
          Try again
        </Button>
      </ErrorNotice>
    </Page>
  );
}

function WalletViews({ wallet, view }: { readonly wallet: WalletMetadata; readonly view: View }) {
  const [shown, setShown] = useState<'sign' | 'destroy'>();
  const [, navigate] = useLocation();
  const [maySign, mayDestroy] = [useScopes('wallets:sign'), useScopes('wallets:destroy')];
  const close = () => setShown(undefined);
  return (
    <Page
      title={walletName(wallet)}
      lead={wallet.wallet_id}
      actions={
        <>
          {maySign && (
            <Button type="button" onClick={() => setShown('sign')}>
              Sign a message
            </Button>
          )}
          {mayDestroy && (
            <Button type="button" kind="danger" onClick={() => setShown('destroy')}>
              Destroy
            </Button>
          )}
        </>
      }
    >
      <Tabs label="Views of the wallet" tabs={tabsOf(wallet)} />
      {view === undefined && (
        <>
          <WalletFacts wallet={wallet} />
          <Balances wallet={wallet} />
        </>
      )}
      {view === 'transactions' && <WalletTransactions address={wallet.address} />}
      {view === 'children' && <ChildList master={wallet} />}
      {shown === 'sign' && <SignDialog wallet={wallet} onClose={close} />}
      {shown === 'destroy' && (
        <DestroyDialog wallet={wallet} onDestroyed={() => navigate('/wallets')} onClose={close} />
      )}
    </Page>
  );
}

function tabsOf({ wallet_id, derivation_path }: WalletMetadata): readonly Tab[] {
  const home = `/wallets/${wallet_id}`;
  return [
    { href: home, title: 'Wallet' },
    { href: `${home}/transactions`, title: 'Transactions' },
    ...(derivation_path === 'm' ? [{ href: `${home}/children`, title: 'Children' }] : []),
  ];
}
