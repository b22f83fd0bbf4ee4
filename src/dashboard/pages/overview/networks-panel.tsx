import { useEffect, useState } from 'react';
import type { Network } from '../../../../generated/account/types.ts';
import { referenceOf } from '../../calls/places.ts';
import { watchSlots } from '../../calls/watch-slots.ts';
import { Badge } from '../../parts/badge.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { CONSENSUS_NAMES, nameOf } from '../../parts/networks.ts';
import { Count } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { printP99 } from './own-calls.ts';

const OPERATION = ['Networks', 'listNetworks'] as const;
const STATES = {
  ready: { tone: 'good', text: 'Ready' },
  unhealthy: { tone: 'warn', text: 'Behind' },
  unavailable: { tone: 'bad', text: 'Unavailable' },
} as const;

type NetworksPanelProps = { readonly networks: readonly Network[] | undefined; readonly error: unknown };

/** The networks of the server, a line each. */
export function NetworksPanel({ networks, error }: NetworksPanelProps) {
  return (
    <section className="panel" aria-labelledby="networks">
      <div className="panel-head">
        <h2 id="networks">Networks</h2>
        <a href={referenceOf(...OPERATION)}>Reference</a>
      </div>
      {networks === undefined ? (
        <ErrorNotice error={error} operation={OPERATION} />
      ) : (
        <Table caption="Networks" columns={COLUMNS} rows={networks} keyOf={({ rpc_path }) => rpc_path} />
      )}
      <p className="field-hint">
        99 of 100 calls took at most the time of the last column: calls of all accounts in the last 24 hours.
      </p>
    </section>
  );
}

const COLUMNS: readonly Column<Network>[] = [
  {
    title: 'Network',
    share: 1.6,
    show: (network) => (
      <span className="network-name">
        {nameOf(network)} <Badge tone={STATES[network.state].tone}>{STATES[network.state].text}</Badge>
      </span>
    ),
  },
  {
    title: 'Slot',
    kind: 'number',
    share: 1.4,
    show: ({ rpc_path, slot_ms }) => (
      <span className="cell-lines live-slot">
        <LiveSlot rpcPath={rpc_path} />
        <small className="muted">{slot_ms === undefined ? 'pace unknown' : `every ${slot_ms} ms`}</small>
      </span>
    ),
  },
  { title: 'Consensus', show: ({ consensus }) => CONSENSUS_NAMES[consensus] },
  {
    title: 'Nodes up',
    kind: 'number',
    show: ({ reachable_nodes: up, nodes }) => (
      <span className="number">
        {up} of {nodes}
      </span>
    ),
  },
  { title: 'Version', show: ({ versions }) => versions.join(', ') || 'unknown' },
  {
    title: 'p99',
    kind: 'number',
    show: ({ spans }) => {
      const day = spans.find(({ span }) => span === 'day');
      return <span className="number">{day === undefined ? '–' : printP99(day)}</span>;
    },
  },
];

/** The current slot of a network, live. */
function LiveSlot({ rpcPath }: { readonly rpcPath: string }) {
  const [slot, setSlot] = useState<bigint>();
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    void watchSlots(rpcPath, {
      onSlot: (current) => {
        setLost(false);
        setSlot(current);
      },
      onLost: () => setLost(true),
      signal: controller.signal,
    });
    return () => controller.abort();
  }, [rpcPath]);
  if (isLost) return <span className="muted">not connected</span>;
  return slot === undefined ? <span className="muted">waiting for a slot</span> : <Count value={slot} />;
}
