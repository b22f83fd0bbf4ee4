import { useState } from 'react';
import type { WalletMetadata } from '../../../../generated/wallets/types.ts';
import { wallets } from '../../calls/credentials.ts';
import { Button } from '../../parts/button.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { useScopes } from '../../session/session.tsx';
import { DeriveDialog } from './derive-dialog.tsx';
import { WALLET_COLUMNS } from './wallet-columns.tsx';

/** The wallets that were derived from a master. */
export function ChildList({ master }: { readonly master: WalletMetadata }) {
  const [isDeriving, setDeriving] = useState(false);
  const mayCreate = useScopes('wallets:create');
  const { wallet_id } = master;
  return (
    <section className="panel" aria-labelledby="children">
      <div className="panel-head">
        <h2 id="children">Children</h2>
        {mayCreate && (
          <Button type="button" kind="primary" onClick={() => setDeriving(true)}>
            Derive wallets
          </Button>
        )}
      </div>
      <ListPage
        caption="Children"
        queryKey={['wallets', { master_wallet_id: wallet_id }]}
        read={async (query, signal) =>
          (await wallets()).listWallets({ ...query, master_wallet_id: wallet_id }, { signal })
        }
        rowsOf={(page) => page.wallets}
        columns={WALLET_COLUMNS}
        keyOf={(child) => child.wallet_id}
        operation={['Managed wallets', 'listWallets', 'wallets']}
        empty={{ title: 'No children yet', children: <p>Derive a range of wallets from this master.</p> }}
      />
      {isDeriving && <DeriveDialog master={master} onClose={() => setDeriving(false)} />}
    </section>
  );
}
