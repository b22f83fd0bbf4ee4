import { useQuery } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Page } from '../../../parts/page.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import { Table, type Column } from '../../../parts/table.tsx';
import { NODES_KEY } from '../keys.ts';
import type {
  DriftFinding,
  LedgerNode,
  NetworkNodes,
  UnknownMethod,
  NetworkState,
} from '../../../../../generated/account/types.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Count } from '../../../parts/number.tsx';
import { Time } from '../../../parts/time.tsx';
import { CONSENSUS_NAMES } from '../../../parts/networks.ts';

const LIST_NODES = ['Operators', 'listNodes'] as const;
const REFRESH_MS = 10_000;

/** The ledger nodes of every network, as seen by the answering process of the server. */
export function NodesPage() {
  const list = useQuery({
    queryKey: NODES_KEY,
    queryFn: async ({ signal }) => (await account.listNodes({ signal })).networks,
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title="Nodes"
      lead="The ledger nodes, as seen by the answering process of the server. Updated every ten seconds."
      actions={<ReferenceLink operation={LIST_NODES} />}
    >
      {list.isPending && (
        <section className="panel" aria-busy="true">
          <span className="skeleton skeleton-title" />
          <Table
            caption="Nodes"
            columns={NODE_COLUMNS}
            rows={[]}
            keyOf={({ name }) => name}
            waitingRows={2}
          />
        </section>
      )}
      {list.isError && (
        <ErrorNotice error={list.error} operation={LIST_NODES}>
          <Button type="button" onClick={() => void list.refetch()}>
            Try again
          </Button>
        </ErrorNotice>
      )}
      {list.data?.map((network) => (
        <NetworkNodesPanel key={`${network.name}-${network.environment}`} network={network} />
      ))}
    </Page>
  );
}

/** The nodes of a network: its state and pace, each node, and what differs from the specification. */
function NetworkNodesPanel({ network }: { readonly network: NetworkNodes }) {
  const { name, environment, state, consensus, alpenglow_from, slot_ms, slot_ms_from, newest_slot, nodes } =
    network;
  const { beyond_specification, unknown_methods } = network;
  const title = `${name}, ${environment}`;
  const heading = `network-${name}-${environment}`;
  return (
    <section className="panel" aria-labelledby={heading}>
      <div className="panel-head">
        <h2 id={heading}>{title}</h2>
        <Badge tone={STATES[state].tone}>{state}</Badge>
      </div>
      <p className="muted">{STATES[state].meaning}</p>
      <dl className="facts facts-wide">
        <div>
          <dt>Length of a slot</dt>
          <dd>
            {slot_ms === undefined ? (
              'not known yet'
            ) : (
              <>
                <Count value={slot_ms} /> ms
              </>
            )}
            {slot_ms_from !== undefined && <span className="muted">, {PACE_SOURCES[slot_ms_from]}</span>}
          </dd>
        </div>
        <div>
          <dt>Consensus</dt>
          <dd>
            {CONSENSUS_NAMES[consensus]}
            {alpenglow_from !== undefined && (
              <span className="muted">
                , after slot <Count value={alpenglow_from} />
              </span>
            )}
          </dd>
        </div>
        <div>
          <dt>Newest slot</dt>
          <dd>{newest_slot === undefined ? 'not known yet' : <Count value={newest_slot} />}</dd>
        </div>
      </dl>
      <Table caption={`Nodes of ${title}`} columns={NODE_COLUMNS} rows={nodes} keyOf={(node) => node.name} />
      <h3>Beyond the specification</h3>
      {beyond_specification.length === 0 ? (
        <p className="muted">All answers of the nodes are covered by the specification.</p>
      ) : (
        <Table
          caption={`Beyond the specification, ${title}`}
          columns={DRIFT_COLUMNS}
          rows={beyond_specification}
          keyOf={(finding) => [finding.node, finding.kind, finding.name].join(' ')}
        />
      )}
      {unknown_methods.length > 0 && (
        <>
          <h3>Unknown methods that clients called</h3>
          <Table
            caption={`Unknown methods, ${title}`}
            columns={METHOD_COLUMNS}
            rows={unknown_methods}
            keyOf={(method) => method.name}
          />
        </>
      )}
    </section>
  );
}

const NODE_COLUMNS: readonly Column<LedgerNode>[] = [
  { title: 'Node', show: ({ name }) => name },
  {
    title: 'Health',
    show: ({ standing, reasons }) => (
      <span className="cell-lines">
        <span>
          <Badge tone={STANDINGS[standing]}>{standing}</Badge>
        </span>
        {reasons.map((reason) => (
          <span key={reason} className="scope-list">
            {reason}
          </span>
        ))}
      </span>
    ),
  },
  {
    title: 'Slot',
    kind: 'number',
    show: ({ slot, lag_slots = 0 }) => (
      <span className="cell-lines">
        <span>{slot === undefined ? '' : <Count value={slot} />}</span>
        {lag_slots > 0 && (
          <span className="scope-list">
            <Count value={lag_slots} /> behind
          </span>
        )}
      </span>
    ),
  },
  {
    title: 'Version',
    show: ({ version, is_ordered }) => (
      <span className="cell-lines">
        <span>{version ?? 'not reported'}</span>
        {!is_ordered && <span className="scope-list">uncertain: not used for routing</span>}
      </span>
    ),
  },
  {
    title: 'Feature set',
    kind: 'number',
    show: ({ feature_set }) => (feature_set === undefined ? '' : <Count value={feature_set} />),
  },
];

const DRIFT_COLUMNS: readonly Column<DriftFinding>[] = [
  { title: 'Seen at', show: ({ node }) => node },
  { title: 'Kind', show: ({ kind }) => kind },
  { title: 'Name', share: 1.5, show: ({ name }) => <code>{name}</code> },
  { title: 'Count', kind: 'number', share: 0.6, show: ({ count }) => <Count value={count} /> },
  { title: 'First seen', show: ({ first_seen }) => <Time at={first_seen} /> },
];

const METHOD_COLUMNS: readonly Column<UnknownMethod>[] = [
  { title: 'Name', share: 1.5, show: ({ name }) => <code>{name}</code> },
  { title: 'Calls', kind: 'number', share: 0.6, show: ({ count }) => <Count value={count} /> },
  { title: 'First called', show: ({ first_seen }) => <Time at={first_seen} /> },
];

/** The states of a network. */
const STATES = {
  ready: { tone: 'good', meaning: 'The last node asked is up to date.' },
  unhealthy: { tone: 'warn', meaning: 'The last node asked has fallen behind.' },
  unavailable: { tone: 'bad', meaning: 'No node answered the last request.' },
} as const satisfies Record<NetworkState, unknown>;

/** The tone of each node status. */
const STANDINGS = {
  healthy: 'good',
  degraded: 'warn',
  down: 'bad',
  unverified: 'warn',
  foreign: 'bad',
} as const satisfies Record<LedgerNode['standing'], unknown>;

/** The source of the slot length, in words. */
const PACE_SOURCES: Readonly<Record<NonNullable<NetworkNodes['slot_ms_from']>, string>> = {
  setting: 'from the settings',
  notifications: 'from slots that nodes announced',
  samples: 'from the performance samples of a node',
  slots: 'from the slots of a node',
};
