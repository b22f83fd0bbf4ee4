import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { wallets } from '../../calls/credentials.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { Page } from '../../parts/page.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useScopes } from '../../session/session.tsx';
import { BatchDialog } from './batch/batch-dialog.tsx';
import { CreateWalletDialog } from './create-wallet-dialog.tsx';
import { FirstWallet } from './first-wallet.tsx';
import { searchOf } from './search-of.ts';
import { WALLET_COLUMNS } from './wallet-columns.tsx';

/** The list of managed wallets, searched by label or address. */
export function WalletsListPage() {
  const [shown, setShown] = useState<'create' | 'batch'>();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const mayCreate = useScopes('wallets:create');
  const search = params.get('search') ?? '';
  const close = () => setShown(undefined);
  return (
    <Page
      title="Wallets"
      lead="The keys of managed wallets stay on the server, which signs with them."
      actions={
        mayCreate && (
          <>
            <Button type="button" onClick={() => setShown('batch')}>
              Create a batch
            </Button>
            <Button type="button" kind="primary" onClick={() => setShown('create')}>
              Create a wallet
            </Button>
          </>
        )
      }
    >
      <section className="panel" aria-label="Managed wallets">
        <search>
          <form
            key={search}
            className="search-row"
            onSubmit={(event) => {
              event.preventDefault();
              const text = readForm(event.currentTarget, 'search').trim();
              setParams(text === '' ? {} : { search: text });
            }}
          >
            <Field
              name="search"
              label="Search by label or address"
              defaultValue={search}
              type="search"
              maxLength={100}
              autoComplete="off"
              spellCheck={false}
            />
            <Button type="submit">Search</Button>
            {search !== '' && (
              <Button type="button" kind="quiet" onClick={() => setParams({})}>
                Show all
              </Button>
            )}
          </form>
        </search>
        <ListPage
          caption="Managed wallets"
          queryKey={['wallets', searchOf(search)]}
          read={async (query, signal) =>
            (await wallets()).listWallets({ ...query, ...searchOf(search) }, { signal })
          }
          rowsOf={(page) => page.wallets}
          columns={WALLET_COLUMNS}
          keyOf={({ wallet_id }) => wallet_id}
          operation={['Managed wallets', 'listWallets', 'wallets']}
          empty={
            search === ''
              ? { title: 'No wallets yet', children: <FirstWallet /> }
              : { title: 'No wallet matches', children: <p>Labels match in part, addresses as a whole.</p> }
          }
        />
      </section>
      {shown === 'create' && (
        <CreateWalletDialog
          onCreated={(walletId) => {
            close();
            navigate(`/wallets/${walletId}`);
          }}
          onClose={close}
        />
      )}
      {shown === 'batch' && <BatchDialog onClose={close} />}
    </Page>
  );
}
