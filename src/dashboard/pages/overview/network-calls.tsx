import type { Network } from '../../../../generated/account/types.ts';
import { Count } from '../../parts/number.tsx';
import { printShare } from '../../parts/print-share.ts';
import { Time } from '../../parts/time.tsx';
import { printP99 } from './print-p99.ts';
import { SpanTable } from './span-table.tsx';

/** The calls of all accounts on a network in the last hour, day and month, and how long they took. */
export function NetworkCalls({ network: { name, environment, spans } }: { readonly network: Network }) {
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
