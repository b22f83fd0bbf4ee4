import { Redirect, useParams, useLocation, Link } from 'wouter';
import { useState, useEffect } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { EmptyState } from '../../parts/empty-state.tsx';
import { explorerPath, findNetwork, nameOf, type Network, slugOf, tracePath } from '../../parts/networks.ts';
import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session/session.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { AddressView } from './address/address-view.tsx';
import { recognise, pathText } from './recognise.ts';
import { SlotView } from './slot/slot-view.tsx';
import { TraceView } from './trace/trace-view.tsx';
import { TransactionView } from './transaction/transaction-view.tsx';
import './explorer-page.css';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { NetworkSelect } from '../../parts/network-select.tsx';
import { readForm } from '../../parts/read-form.ts';
import { SESSION_KEY } from '../../calls/query-client.ts';
import { watchSlots } from '../../calls/watch-slots.ts';
import { AccountLink } from '../../parts/account-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Count } from '../../parts/number.tsx';
import { TryCall } from './try-call.tsx';

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
      <EmptyState title="Nothing found">
        <p>Search for an address, a signature or a slot number.</p>
      </EmptyState>
    );
  const key = explorerPath(network, what);
  if (found.kind === 'slot') return <SlotView key={key} network={network} slot={found.slot} />;
  if (found.kind === 'address') return <AddressView key={key} network={network} address={found.text} />;
  return <TransactionView key={key} network={network} signature={found.text} />;
}

type SearchProps = {
  readonly network: Network;
  /** The text of the shown item. */
  readonly what: string | undefined;
};

/** One field for addresses, signatures and slots of a network. A shown address is looked up again when the network changes. */
function Search({ network, what }: SearchProps) {
  const { networks } = useSession();
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<string>();
  return (
    <search className="panel">
      <form
        className="explorer-search"
        onSubmit={(event) => {
          event.preventDefault();
          const found = recognise(readForm(event.currentTarget, 'what'));
          if (found !== undefined) navigate(explorerPath(network, pathText(found)));
          else setProblem('This is not an address, a signature or a slot. Is it complete?');
        }}
      >
        <NetworkSelect
          networks={networks}
          value={network}
          onChange={(chosen) => navigate(onOther(chosen, what))}
        />
        <Field
          name="what"
          label="Address, signature or slot"
          problem={problem}
          type="search"
          autoComplete="off"
          spellCheck={false}
          required
        />
        <Button type="submit" kind="primary">
          Search
        </Button>
      </form>
    </search>
  );
}

function onOther(network: Network, what: string | undefined): string {
  const isAddress = what !== undefined && recognise(what)?.kind === 'address';
  return isAddress ? explorerPath(network, what) : `/explorer/${slugOf(network)}`;
}

/** Well-known addresses to start with. */
const BEGINNINGS = [
  { name: 'Programs', address: '11111111111111111111111111111111' },
  { name: 'Tokens', address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
  { name: 'Time of the ledger', address: 'SysvarC1ock11111111111111111111111111111111' },
] as const;

/** The current slot of a network, and starting points. */
function StartView({ network }: { readonly network: Network }) {
  const slot = useSlot(network.rpc_path);
  return (
    <section className="panel" aria-labelledby="explorer-start">
      <div className="panel-head">
        <h2 id="explorer-start">Start here</h2>
        <TryCall method="getSlot" params={[]} network={network} />
      </div>
      <Facts
        facts={[
          {
            name: 'Current slot',
            value:
              slot === undefined ? (
                '…'
              ) : (
                <Link href={explorerPath(network, slot)}>
                  <Count value={slot} />
                </Link>
              ),
          },
          {
            name: 'A transaction that failed',
            value: <Link href={tracePath(network)}>Explain a transaction</Link>,
          },
          ...BEGINNINGS.map(({ name, address }) => ({
            name,
            value: <AccountLink network={network} address={address} noun="address" />,
          })),
        ]}
      />
    </section>
  );
}

/** Returns the current slot of a network, as it changes. */
function useSlot(rpcPath: string): bigint | undefined {
  const client = useQueryClient();
  const [slot, setSlot] = useState<bigint>();
  useEffect(() => {
    const leaving = new AbortController();
    setSlot(undefined);
    void watchSlots(rpcPath, {
      onSlot: setSlot,
      onLost: () => {
        setSlot(undefined);
        // The connection may be lost because the session has ended.
        void client.invalidateQueries({ queryKey: SESSION_KEY });
      },
      signal: leaving.signal,
    });
    return () => leaving.abort();
  }, [client, rpcPath]);
  return slot;
}
