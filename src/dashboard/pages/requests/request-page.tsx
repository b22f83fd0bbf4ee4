import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { LoggedRequest } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { failureCode } from '../../calls/failure-code.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { formatCount } from '../../parts/format-number.ts';
import { Page } from '../../parts/page.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import { Time } from '../../parts/time.tsx';
import { callerOf, OutcomeBadge, printDuration, PROTOCOL_NAMES } from './describe-request.tsx';

/** A request by the id that its answer carries: its calls, newest first. */
export function RequestPage({ requestId }: { readonly requestId: string }) {
  const found = useQuery({
    queryKey: ['request', requestId],
    queryFn: ({ signal }) => account.readRequest(requestId, { signal }),
  });
  const isMissing = failureCode(found.error) === 'request_not_found';
  return (
    <Page title="Request" actions={<Link href="/requests">All requests</Link>}>
      <section className="panel" aria-label="Request">
        <p className="copyable">
          <code className="request-id">{requestId}</code>
          <CopyButton text={requestId} label="Copy: Request id" />
        </p>
        {isMissing ? (
          <EmptyState title="The log does not have this request">
            <p>
              A few requests a second are kept, and none for more than some days. It may be of another
              account.
            </p>
          </EmptyState>
        ) : (
          <ErrorNotice error={found.error} operation={['Requests', 'readRequest']}>
            <Button type="button" onClick={() => void found.refetch()}>
              Try again
            </Button>
          </ErrorNotice>
        )}
        {found.isPending && <div className="skeleton request-waiting" />}
      </section>
      {(found.data?.requests ?? []).map((request) => (
        <section key={request.id} className="panel" aria-label={`${request.method}, ${request.at}`}>
          <h2>
            <code>{request.method}</code>
          </h2>
          <Facts facts={factsOf(request)} />
          {request.params !== undefined && (
            <>
              <h3>Params</h3>
              <Snippet code={request.params} label="Copy: params" />
              <p className="field-hint">
                The operator of this server keeps them for an hour; at most 4,096 characters.
              </p>
            </>
          )}
        </section>
      ))}
    </Page>
  );
}

function factsOf(request: LoggedRequest): readonly (Fact | undefined)[] {
  const { at, protocol, network, duration_us, bytes_in, bytes_out, node, rpc_code } = request;
  const kind =
    request.key_id !== undefined ? 'API key' : request.token_id === undefined ? 'Member' : 'Access token';
  return [
    { name: 'Time', value: <Time at={at} isExact /> },
    { name: 'Outcome', value: <OutcomeBadge request={request} /> },
    request.status === undefined ? undefined : { name: 'HTTP status', value: request.status },
    rpc_code === undefined ? undefined : { name: 'JSON-RPC code', value: rpc_code },
    { name: 'Duration', value: printDuration(duration_us) },
    { name: kind, value: callerOf(request) },
    { name: 'Protocol', value: PROTOCOL_NAMES[protocol] },
    network === undefined ? undefined : { name: 'Network', value: network },
    node === undefined ? undefined : { name: 'Node that answered', value: node },
    bytes_in === undefined ? undefined : { name: 'Bytes in', value: formatCount(bytes_in) },
    bytes_out === undefined ? undefined : { name: 'Bytes out', value: formatCount(bytes_out) },
  ];
}
