import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { watchSlots } from '../../calls/watch-slots.ts';
import { Facts } from '../../parts/facts.tsx';
import { explorerPath, nameOf, type Network } from '../../parts/networks.ts';
import { Count } from '../../parts/number.tsx';
import { TryCall } from './try-call.tsx';

/** Well-known addresses, to begin with. */
const PROGRAMS = [
  { name: 'System program', address: '11111111111111111111111111111111' },
  { name: 'Token program', address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
  { name: 'Clock', address: 'SysvarC1ock11111111111111111111111111111111' },
] as const;

/** The current slot of a network, and where to begin. */
export function StartView({ network }: { readonly network: Network }) {
  const slot = useSlot(network.rpc_path);
  return (
    <section className="panel" aria-labelledby="explorer-start">
      <div className="panel-head">
        <h2 id="explorer-start">{nameOf(network)}</h2>
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
          ...PROGRAMS.map(({ name, address }) => ({
            name,
            value: (
              <Link className="number" href={explorerPath(network, address)}>
                {`${address.slice(0, 6)}…${address.slice(-6)}`}
              </Link>
            ),
          })),
        ]}
      />
    </section>
  );
}

/** Returns the slot that a network works on, as it changes. */
function useSlot(rpcPath: string): bigint | undefined {
  const [slot, setSlot] = useState<bigint>();
  useEffect(() => {
    const leaving = new AbortController();
    setSlot(undefined);
    void watchSlots(rpcPath, { onSlot: setSlot, onLost: () => setSlot(undefined), signal: leaving.signal });
    return () => leaving.abort();
  }, [rpcPath]);
  return slot;
}
