import { Link } from 'wouter';
import { referenceOf } from '../../calls/places.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Count } from '../../parts/number.tsx';
import { printShare } from '../../parts/print-share.ts';
import type { SpanCalls } from './use-overview.ts';

const OPERATION = ['Usage', 'getUsage'] as const;

type CallsPanelProps = { readonly spans: readonly SpanCalls[] | undefined; readonly error: unknown };

/** The calls of the account in the last hour, day and month. */
export function CallsPanel({ spans, error }: CallsPanelProps) {
  return (
    <section className="panel" aria-labelledby="calls">
      <div className="panel-head">
        <h2 id="calls">Calls of this account</h2>
        <Link href="/usage">All usage</Link>
      </div>
      <ErrorNotice error={error} operation={OPERATION} />
      {spans !== undefined && (
        <table className="calls-table">
          <caption className="only-read">Calls, errors and refused calls by span</caption>
          <thead>
            <tr>
              <th scope="col">Span</th>
              <th scope="col" className="cell-number">
                Calls
              </th>
              <th scope="col" className="cell-number">
                Errors
              </th>
              <th scope="col" className="cell-number">
                Refused
              </th>
            </tr>
          </thead>
          <tbody>
            {spans.map(({ title, calls, errors, refused }) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                <td className="cell-number">
                  <Count value={calls} />
                </td>
                <td className="cell-number">
                  <Count value={errors} /> <small className="muted">{printShare(errors, calls)}</small>
                </td>
                <td className="cell-number">
                  <Count value={refused} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="field-hint">
        Refused calls were not served: the limit of the plan was reached.{' '}
        <a href={referenceOf(...OPERATION)}>Reference</a>
      </p>
    </section>
  );
}
