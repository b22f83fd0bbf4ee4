import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { SESSION_KEY } from '../../calls/query-client.ts';
import { watchSlots } from '../../calls/watch-slots.ts';
import { AccountLink } from '../../parts/account-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { explorerPath, type Network, tracePath } from '../../parts/networks.ts';
import { Count } from '../../parts/number.tsx';
import { TryCall } from './try-call.tsx';

/** Well-known addresses, to begin with. */
const BEGINNINGS = [
  { name: 'Programs', address: '11111111111111111111111111111111' },
  { name: 'Tokens', address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
  { name: 'Time of the ledger', address: 'SysvarC1ock11111111111111111111111111111111' },
] as const;

/** The current slot of a network, and where to begin. */
export function StartView({ network }: { readonly network: Network }) {
  const slot = useSlot(network.rpc_path);
  return (
    <section className="panel" aria-labelledby="explorer-start">
      <div className="panel-head">
        <h2 id="explorer-start">Begin here</h2>
        <TryCall tag="Cluster, slots, epochs" method="getSlot" params={[]} network={network} />
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

/** Returns the slot that a network works on, as it changes. */
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
        // It may have been lost because the session has ended.
        void client.invalidateQueries({ queryKey: SESSION_KEY });
      },
      signal: leaving.signal,
    });
    return () => leaving.abort();
  }, [client, rpcPath]);
  return slot;
}
