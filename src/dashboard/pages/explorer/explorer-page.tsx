import { Redirect, useParams } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';
import { explorerPath, findNetwork, nameOf, type Network, slugOf } from '../../parts/networks.ts';
import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session/session.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { AddressView } from './address/address-view.tsx';
import { recognise } from './recognise.ts';
import { Search } from './search.tsx';
import { SlotView } from './slot/slot-view.tsx';
import { StartView } from './start-view.tsx';
import { TraceView } from './trace/trace-view.tsx';
import { TransactionView } from './transaction/transaction-view.tsx';
import './explorer-page.css';

const TITLES = { address: 'Address', signature: 'Transaction', slot: 'Slot' } as const;

/** Addresses, transactions and slots of the networks of this server. */
export function ExplorerPage() {
  const { networks } = useSession();
  const { network: slug, what, signature } = useParams();
  const [first] = networks;
  if (first === undefined) return <Page title="Explorer" lead="This server serves no network." />;
  if (slug === undefined) return <Redirect to={`/explorer/${slugOf(first)}`} replace />;
  const network = findNetwork(networks, slug);
  if (network === undefined) return <NotFoundPage />;
  if (what === 'trace')
    return (
      <Page title="Explain a transaction" lead={`On ${nameOf(network)}`}>
        <TraceView key={`${slug}/${signature}`} network={network} signature={signature} />
      </Page>
    );
  if (signature !== undefined) return <NotFoundPage />;
  const found = what === undefined ? undefined : recognise(what);
  return (
    <Page title={found === undefined ? 'Explorer' : TITLES[found.kind]} lead={`On ${nameOf(network)}`}>
      <Search key={`${slug}/${what}`} network={network} what={what} />
      <Shown network={network} what={what} />
    </Page>
  );
}

function Shown({ network, what }: { readonly network: Network; readonly what: string | undefined }) {
  if (what === undefined) return <StartView network={network} />;
  const found = recognise(what);
  if (found === undefined)
    return (
      <EmptyState title="Nothing is called that">
        <p>Search for an address, a signature or the number of a slot.</p>
      </EmptyState>
    );
  const key = explorerPath(network, what);
  if (found.kind === 'slot') return <SlotView key={key} network={network} slot={found.slot} />;
  if (found.kind === 'address') return <AddressView key={key} network={network} address={found.text} />;
  return <TransactionView key={key} network={network} signature={found.text} />;
}
