import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { isBase58 } from '../../../../../runtime/base58.ts';
import { Button } from '../../../parts/button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Field } from '../../../parts/field.tsx';
import { explorerPath, type Network, tracePath } from '../../../parts/networks.ts';
import { readForm } from '../../../parts/read-form.ts';
import { TraceParts } from './trace-parts.tsx';
import type { TransactionTrace } from '../../../../../generated/localnet/types.ts';
import { CallError } from '../../../../../runtime/call-error.ts';
import { credentials, rpcCallOf } from '../../../calls/credentials.ts';

type TraceViewProps = { readonly network: Network; readonly signature: string | undefined };

/** Explains a transaction of the embedded ledger call by call, or says why this network does not support it. */
export function TraceView({ network, signature }: TraceViewProps) {
  return (
    <>
      <SignatureForm network={network} />
      {signature !== undefined && <Explained network={network} signature={signature} />}
    </>
  );
}

function SignatureForm({ network }: { readonly network: Network }) {
  const [, navigate] = useLocation();
  const [problem, setProblem] = useState<string>();
  return (
    <search className="panel">
      <form
        className="explorer-search"
        onSubmit={(event) => {
          event.preventDefault();
          const text = readForm(event.currentTarget, 'signature').trim();
          if (isBase58(text, 64)) navigate(tracePath(network, text));
          else setProblem('This is not a signature. Is it complete?');
        }}
      >
        <Field
          name="signature"
          label="Signature of a transaction"
          problem={problem}
          type="search"
          autoComplete="off"
          spellCheck={false}
          required
        />
        <Button type="submit" kind="primary">
          Explain
        </Button>
      </form>
    </search>
  );
}

function Explained({ network, signature }: { readonly network: Network; readonly signature: string }) {
  const { rpc_path } = network;
  const found = useQuery({
    queryKey: ['ledger', rpc_path, 'trace', signature],
    queryFn: () => readTrace(rpc_path, signature),
  });
  if (found.isPending)
    return (
      <section className="panel" aria-busy="true">
        <span className="skeleton skeleton-title" />
      </section>
    );
  if (found.isError)
    return (
      <ErrorNotice error={found.error}>
        <Button type="button" onClick={() => void found.refetch()}>
          Try again
        </Button>
      </ErrorNotice>
    );
  const { data } = found;
  if (data.kind === 'notServed')
    return (
      <EmptyState title="This network cannot explain transactions">
        <p>{data.reason}.</p>
        <p>
          <Link href={explorerPath(network, signature)}>Show the transaction</Link>
        </p>
      </EmptyState>
    );
  if (data.trace === null)
    return (
      <EmptyState title="No transaction has this signature">
        <p>It may be on another network, not have landed yet, or be older than what the ledger keeps.</p>
        <Button type="button" isBusy={found.isFetching} onClick={() => void found.refetch()}>
          Look again
        </Button>
      </EmptyState>
    );
  return <TraceParts network={network} trace={data.trace} />;
}

/** A trace; null if no transaction has the signature. `notServed`: the reason why the network has no traces. */
type TraceReading =
  | { readonly kind: 'trace'; readonly trace: TransactionTrace | null }
  | { readonly kind: 'notServed'; readonly reason: string };

const METHOD_NOT_FOUND = -32601;

/** Asks a network to explain a transaction. Throws CallError, or RestCallError for a session that has ended. */
async function readTrace(rpcPath: string, signature: string): Promise<TraceReading> {
  await credentials.read();
  const call = await rpcCallOf(rpcPath);
  try {
    return { kind: 'trace', trace: (await call('localnet_trace', [signature])) as TransactionTrace | null };
  } catch (error) {
    if (!(error instanceof CallError) || error.failure.kind !== 'rpc') throw error;
    const { code, message } = error.failure;
    if (code !== METHOD_NOT_FOUND) throw error;
    return { kind: 'notServed', reason: message.replace(/^Method not found: /, '') };
  }
}
