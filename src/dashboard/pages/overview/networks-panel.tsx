import type { Network } from '../../../../generated/account/types.ts';
import { referenceOf, SERVER_ADDRESS } from '../../calls/places.ts';
import { Badge } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { LiveSlot } from './live-slot.tsx';
import { NetworkCalls } from './network-calls.tsx';

const OPERATION = ['Networks', 'listNetworks'] as const;
const STATES = {
  ready: { tone: 'good', text: 'Ready' },
  unhealthy: { tone: 'warn', text: 'Behind' },
  unavailable: { tone: 'bad', text: 'Unavailable' },
} as const;

type NetworksPanelProps = { readonly networks: readonly Network[] | undefined; readonly error: unknown };

/** The networks of the server: where they are, how they are, and how they answer. */
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
        Calls of all accounts on this server, yours among them; errors are those that it or a node failed to
        answer. p99: 99 of 100 calls took at most this long.
      </p>
    </section>
  );
}

function NetworkFacts({ network }: { readonly network: Network }) {
  const { name, environment, rpc_path, state, nodes, reachable_nodes, versions, slot_ms } = network;
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
