import { useQuery } from '@tanstack/react-query';
import type { ParsedConfirmedTransaction } from '../../../../../generated/ledger/types.ts';
import { callLedger } from '../../../calls/call-ledger.ts';
import { Button } from '../../../parts/button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import type { Network } from '../../../parts/networks.ts';
import { TRANSACTION_CONFIG } from './transaction-config.ts';
import { TransactionParts } from './transaction-parts.tsx';

type TransactionViewProps = { readonly network: Network; readonly signature: string };

/** A transaction: its outcome, instructions, balances and logs. */
export function TransactionView({ network, signature }: TransactionViewProps) {
  const { rpc_path } = network;
  const found = useQuery({
    queryKey: ['ledger', rpc_path, 'transaction', signature],
    queryFn: () => readTransaction(rpc_path, signature),
  });
  if (found.isPending)
    return (
      <section className="panel" aria-busy="true">
        <span className="skeleton skeleton-title" />
      </section>
    );
  if (found.isError)
    return (
      <ErrorNotice error={found.error} operation={['Transactions', 'getTransaction', 'ledger']}>
        <Button type="button" onClick={() => void found.refetch()}>
          Try again
        </Button>
      </ErrorNotice>
    );
  const { transaction, status } = found.data;
  if (transaction === null)
    return (
      <EmptyState title="No confirmed transaction has this signature">
        <p>It may be on another network, not confirmed yet, or older than what the node keeps.</p>
        <Button type="button" isBusy={found.isFetching} onClick={() => void found.refetch()}>
          Look again
        </Button>
      </EmptyState>
    );
  return (
    <TransactionParts network={network} signature={signature} transaction={transaction} status={status} />
  );
}

async function readTransaction(rpcPath: string, signature: string) {
  return await callLedger(rpcPath, async (ledger) => {
    const [transaction, statuses] = await Promise.all([
      ledger.getTransaction(signature, TRANSACTION_CONFIG),
      ledger.getSignatureStatuses([signature], { searchTransactionHistory: true }),
    ]);
    if (transaction !== null && !isParsed(transaction))
      throw new Error('The node wrote the transaction in another form than it was asked for.');
    return { transaction, status: statuses.value[0]?.confirmationStatus ?? null };
  });
}

function isParsed(transaction: { readonly transaction: unknown }): transaction is ParsedConfirmedTransaction {
  const { transaction: form } = transaction;
  return typeof form === 'object' && form !== null && 'message' in form;
}
