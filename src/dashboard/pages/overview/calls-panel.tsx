import { Link } from 'wouter';
import type { Network } from '../../../../generated/account/types.ts';
import { referenceOf } from '../../calls/places.ts';
import { Count } from '../../parts/number.tsx';
import { Errors } from './network-calls.tsx';
import { SpanTable } from './span-table.tsx';

/** The calls of the account in the last hour, day and month, on each network. */
export function CallsPanel({ networks }: { readonly networks: readonly Network[] }) {
  return (
    <section className="panel" aria-labelledby="calls">
      <div className="panel-head">
        <h2 id="calls">Calls of this account</h2>
        <Link href="/usage">All usage</Link>
      </div>
      {networks.map((network) => (
        <OwnCalls key={network.rpc_path} network={network} isOnly={networks.length === 1} />
      ))}
      <p className="field-hint">
        Errors are calls that the server or a node failed to answer. Caller errors were answered: the call was
        wrong, or what it asked for does not exist. Refused calls were not served: the limit of the plan was
        reached. <a href={referenceOf('Networks', 'listNetworks')}>Reference</a>
      </p>
    </section>
  );
}

type OwnCallsProps = { readonly network: Network; readonly isOnly: boolean };

function OwnCalls({ network: { name, environment, spans }, isOnly }: OwnCallsProps) {
  const title = `${name}, ${environment}`;
  return (
    <div className="own-calls">
      {!isOnly && <h3>{title}</h3>}
      <SpanTable
        caption={`Calls of this account on ${title}`}
        heads={['Calls', 'Errors', 'Caller errors', 'Refused']}
        rows={spans.map(({ span, own }) => ({
          span,
          cells: [
            <Count key="calls" value={own.calls} />,
            <Errors key="errors" errors={own.errors} calls={own.calls} />,
            <Errors key="caller" errors={own.caller_errors} calls={own.calls} />,
            <Count key="refused" value={own.refused} />,
          ],
        }))}
      />
    </div>
  );
}
