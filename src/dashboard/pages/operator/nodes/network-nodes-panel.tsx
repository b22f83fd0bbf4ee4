import type {
  DriftFinding,
  LedgerNode,
  NetworkNodes,
  UnknownMethod,
} from '../../../../../generated/account/types.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Count } from '../../../parts/number.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { PACE_SOURCES, STANDINGS, STATES } from './node-texts.ts';

/** The nodes of a network: its state and pace, each node, and what differs from the specification. */
export function NetworkNodesPanel({ network }: { readonly network: NetworkNodes }) {
  const { name, environment, state, slot_ms, slot_ms_from, newest_slot, nodes } = network;
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
          <dt>Newest slot</dt>
          <dd>{newest_slot === undefined ? 'not known yet' : <Count value={newest_slot} />}</dd>
        </div>
      </dl>
      <Table caption={`Nodes of ${title}`} columns={NODE_COLUMNS} rows={nodes} keyOf={(node) => node.name} />
      <h3>Beyond the specification</h3>
      {beyond_specification.length === 0 ? (
        <p className="muted">Nodes answer nothing that the specification does not know.</p>
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

export const NODE_COLUMNS: readonly Column<LedgerNode>[] = [
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
        {!is_ordered && <span className="scope-list">not certain: calls are not sent by it</span>}
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
