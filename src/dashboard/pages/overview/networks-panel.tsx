import { useEffect, useState, type ReactNode } from 'react';
import type { Network, CallSpan } from '../../../../generated/account/types.ts';
import { referenceOf, SERVER_ADDRESS } from '../../calls/places.ts';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { CONSENSUS_NAMES } from '../../parts/networks.ts';
import { watchSlots } from '../../calls/watch-slots.ts';
import { Count } from '../../parts/number.tsx';
import { printShare } from '../../parts/format-number.ts';
import { Time } from '../../parts/time.tsx';
import { printP99 } from './own-calls.ts';

const OPERATION = ['Networks', 'listNetworks'] as const;
const STATES = {
  ready: { tone: 'good', text: 'Ready' },
  unhealthy: { tone: 'warn', text: 'Behind' },
  unavailable: { tone: 'bad', text: 'Unavailable' },
} as const;

type NetworksPanelProps = { readonly networks: readonly Network[] | undefined; readonly error: unknown };

/** The networks of the server: address, state and calls. */
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
        networks.map((network) => <NetworkFacts key={network.rpc_path} network={network} />)
      )}
      <p className="field-hint">
        Calls of all accounts on this server, including yours; errors are calls that it or a node failed to
        answer. p99: 99 of 100 calls took at most this long.
      </p>
    </section>
  );
}

function NetworkFacts({ network }: { readonly network: Network }) {
  const { name, environment, rpc_path, state, nodes, reachable_nodes, versions, slot_ms, consensus } =
    network;
  const address = `${SERVER_ADDRESS}${rpc_path}`;
  const { tone, text } = STATES[state];
  return (
    <article className="network" aria-label={`${name}, ${environment}`}>
      <div className="network-head">
        <h3>
          {name}, {environment}
        </h3>
        <Badge tone={tone}>{text}</Badge>
      </div>
      <p className="copyable">
        <code>{address}</code>
        <CopyButton text={address} label={`Copy the address of ${name}, ${environment}`} />
      </p>
      <dl className="figures">
        <div>
          <dt>Slot</dt>
          <dd className="live-slot">
            <LiveSlot rpcPath={rpc_path} />
          </dd>
        </div>
        <div>
          <dt>Slot time</dt>
          <dd className="number">{slot_ms === undefined ? 'unknown' : `${slot_ms} ms`}</dd>
        </div>
        <div>
          <dt>Consensus</dt>
          <dd>{CONSENSUS_NAMES[consensus]}</dd>
        </div>
        <div>
          <dt>Nodes that answer</dt>
          <dd className="number">
            {reachable_nodes} of {nodes}
          </dd>
        </div>
        <div>
          <dt>Version</dt>
          <dd>{versions.join(', ') || 'unknown'}</dd>
        </div>
      </dl>
      <NetworkCalls network={network} />
    </article>
  );
}

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

/** The calls of all accounts on a network in the last hour, day and month, and their latency. */
function NetworkCalls({ network: { name, environment, spans } }: { readonly network: Network }) {
  const knownSince = spans.find(({ known_since }) => known_since !== undefined)?.known_since;
  return (
    <div className="network-calls">
      <SpanTable
        caption={`Calls of all accounts on ${name}, ${environment}`}
        heads={['Calls', 'Errors', 'p99']}
        rows={spans.map((row) => ({
          span: row.span,
          cells: [
            <Count key="calls" value={row.calls} />,
            <Errors key="errors" errors={row.errors} calls={row.calls} />,
            <span key="p99" className="number">
              {printP99(row)}
            </span>,
          ],
        }))}
      />
      {knownSince !== undefined && (
        <p className="field-hint">
          Counted since <Time at={knownSince} />.
        </p>
      )}
    </div>
  );
}

/** A number of errors, and their share of the calls. */
export function Errors({ errors, calls }: { readonly errors: number; readonly calls: number }) {
  return (
    <>
      <Count value={errors} /> <small className="muted">{printShare(errors, calls)}</small>
    </>
  );
}

type SpanTableProps = {
  /** The name of the table for screen readers. */
  readonly caption: string;
  /** The heads of the columns after the time span. */
  readonly heads: readonly string[];
  readonly rows: readonly { readonly span: CallSpan; readonly cells: readonly ReactNode[] }[];
};

/** Figures of calls, a row for each span. All such tables have columns of the same width. */
export function SpanTable({ caption, heads, rows }: SpanTableProps) {
  return (
    <table className="span-table">
      <caption className="only-read">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Last</th>
          {heads.map((head) => (
            <th key={head} scope="col" className="cell-number">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ span, cells }) => (
          <tr key={span}>
            <th scope="row">{SPAN_TITLES[span]}</th>
            {cells.map((cell, column) => (
              <td key={heads[column]} className="cell-number">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The names of the spans, after the word Last. */
const SPAN_TITLES: Readonly<Record<CallSpan, string>> = {
  hour: 'hour',
  day: '24 hours',
  month: '30 days',
};
