import { KeyText } from '../../../parts/key-text.tsx';
import { explorerPath, type Network } from '../../../parts/networks.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import type { Holding } from './read-holding.ts';

type TokenAccountsProps = { readonly network: Network; readonly holdings: readonly Holding[] };

/** The token accounts of an owner. Takes no room without any. */
export function TokenAccounts({ network, holdings }: TokenAccountsProps) {
  if (holdings.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="tokens">
      <h2 id="tokens">Token accounts</h2>
      <Table
        caption="Token accounts"
        columns={columnsOf(network)}
        rows={holdings}
        keyOf={({ address }) => address}
      />
    </section>
  );
}

function columnsOf(network: Network): readonly Column<Holding>[] {
  const link = (text: string, noun: string) => (
    <KeyText text={text} noun={noun} href={explorerPath(network, text)} />
  );
  return [
    { title: 'Account', show: ({ address }) => link(address, 'account') },
    { title: 'Mint', show: ({ mint }) => link(mint, 'mint') },
    { title: 'State', show: ({ state }) => state },
    { title: 'Amount', kind: 'number', show: ({ amount }) => amount },
  ];
}
