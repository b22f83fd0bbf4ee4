import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type {
  ParsedConfirmedTransaction,
  ConfirmationStatus,
  ParsedAccountKey,
  ParsedTransactionMeta,
} from '../../../../../generated/ledger/types.ts';
import { callLedger } from '../../../calls/call-ledger.ts';
import { Button } from '../../../parts/button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { type Network, explorerPath, tracePath } from '../../../parts/networks.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { KeyText } from '../../../parts/key-text.tsx';
import { Count, Sol } from '../../../parts/number.tsx';
import { Time } from '../../../parts/time.tsx';
import { instantOf } from '../../../parts/calendar.ts';
import { TryCall } from '../try-call.tsx';
import {
  describeInstructions,
  type DescribedInstruction,
  type BalanceChange,
  balanceChanges,
} from './describe-instruction.ts';
import { explainTransactionError } from './explain-error.ts';
import { AccountLink } from '../../../parts/account-link.tsx';
import { ParsedValue } from '../parsed-value.tsx';
import { formatSol } from '../../../parts/format-number.ts';
import { type Column, Table } from '../../../parts/table.tsx';

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
        <p>It may be on another network, not be confirmed yet, or be older than what the node keeps.</p>
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
      throw new Error('The node returned the transaction in an unexpected format.');
    return { transaction, status: statuses.value[0]?.confirmationStatus ?? null };
  });
}

function isParsed(transaction: { readonly transaction: unknown }): transaction is ParsedConfirmedTransaction {
  const { transaction: form } = transaction;
  return typeof form === 'object' && form !== null && 'message' in form;
}

type TransactionPartsProps = {
  readonly network: Network;
  readonly signature: string;
  readonly transaction: ParsedConfirmedTransaction;
  readonly status: ConfirmationStatus | null;
};

/** A transaction that was found. */
function TransactionParts({ network, signature, transaction, status }: TransactionPartsProps) {
  const { meta, slot, blockTime, version } = transaction;
  const { message } = transaction.transaction;
  const signers = message.accountKeys.filter(({ signer }) => signer);
  return (
    <>
      <section className="panel" aria-labelledby="outcome">
        <div className="panel-head">
          <h2 id="outcome">Outcome</h2>
          <TryCall method="getTransaction" params={[signature, TRANSACTION_CONFIG]} network={network} />
        </div>
        {meta?.err != null && (
          <p className="notice">
            <span>
              <strong>It failed:</strong> {explainTransactionError(meta.err)}. The fee was charged.
            </span>
          </p>
        )}
        <Facts
          facts={[
            { name: 'Signature', value: <KeyText text={signature} noun="signature" isWhole />, isWide: true },
            { name: 'Result', value: <Result isKnown={meta !== null} isFailed={meta?.err != null} /> },
            { name: 'Confirmation', value: status ?? 'not known' },
            {
              name: 'Slot',
              value: (
                <Link href={explorerPath(network, slot)}>
                  <Count value={slot} />
                </Link>
              ),
            },
            { name: 'Time', value: blockTime === null ? 'not known' : <Time at={instantOf(blockTime)} /> },
            { name: 'Fee', value: meta === null ? 'not known' : <Sol lamports={meta.fee} /> },
            meta?.computeUnitsConsumed === undefined
              ? undefined
              : { name: 'Compute units', value: <Count value={meta.computeUnitsConsumed} /> },
            {
              name: 'Trace',
              value: <Link href={tracePath(network, signature)}>Explain it call by call</Link>,
            },
            { name: 'Version', value: version === undefined ? 'legacy' : String(version) },
            {
              name: signers.length === 1 ? 'Signer' : 'Signers',
              value: (
                <span className="cell-lines">
                  {signers.map(({ pubkey }) => (
                    <KeyText key={pubkey} text={pubkey} noun="signer" href={explorerPath(network, pubkey)} />
                  ))}
                </span>
              ),
            },
          ]}
        />
      </section>
      <section className="panel" aria-labelledby="instructions">
        <h2 id="instructions">Instructions</h2>
        <Instructions
          network={network}
          instructions={describeInstructions(message.instructions, meta?.innerInstructions ?? null)}
        />
      </section>
      {meta !== null && (
        <section className="panel" aria-labelledby="changes">
          <h2 id="changes">Balances</h2>
          <BalanceTable network={network} keys={message.accountKeys} meta={meta} />
        </section>
      )}
      {meta?.logMessages != null && meta.logMessages.length > 0 && (
        <section className="panel" aria-labelledby="logs">
          <h2 id="logs">Logs</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what does not fit is scrolled with the keyboard. */}
          <pre className="logs" tabIndex={0}>
            {meta.logMessages.join('\n')}
          </pre>
        </section>
      )}
    </>
  );
}

function Result({ isKnown, isFailed }: { readonly isKnown: boolean; readonly isFailed: boolean }) {
  if (!isKnown) return <Badge tone="off">not known</Badge>;
  return <Badge tone={isFailed ? 'bad' : 'good'}>{isFailed ? 'failed' : 'succeeded'}</Badge>;
}

/** The configuration of transaction requests: parsed, of every version that nodes support. */
const TRANSACTION_CONFIG = {
  encoding: 'jsonParsed',
  commitment: 'confirmed',
  maxSupportedTransactionVersion: 1,
} as const;

type InstructionsProps = {
  readonly network: Network;
  readonly instructions: readonly DescribedInstruction[];
};

/** Instructions in their order, with their inner instructions. */
function Instructions({ network, instructions }: InstructionsProps) {
  return (
    <ol className="steps">
      {instructions.map(({ program, programId, type, members, inner }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: instructions are alike and never change places.
        <li key={index} className="step">
          <div className="step-head">
            <span className="muted number">{index + 1}</span>
            <strong>{type === undefined ? program : `${program}: ${type}`}</strong>
            <AccountLink network={network} address={programId} noun="program" hasCopy={false} />
          </div>
          <ParsedValue network={network} value={members} />
          {inner.length > 0 && <Instructions network={network} instructions={inner} />}
        </li>
      ))}
    </ol>
  );
}

type BalanceTableProps = {
  readonly network: Network;
  readonly keys: readonly ParsedAccountKey[];
  readonly meta: ParsedTransactionMeta;
};

/** The accounts of a transaction and how their balances changed. */
function BalanceTable({ network, keys, meta }: BalanceTableProps) {
  return (
    <Table
      caption="Balances"
      columns={columnsOf(network)}
      rows={balanceChanges(keys, meta)}
      keyOf={({ address }) => address}
    />
  );
}

function columnsOf(network: Network): readonly Column<BalanceChange>[] {
  return [
    {
      title: 'Account',
      share: 1.3,
      show: ({ address, roles }) => (
        <span className="cell-lines">
          <AccountLink network={network} address={address} noun="account" hasCopy={false} />
          <span className="muted small">{roles}</span>
        </span>
      ),
    },
    {
      title: 'Change, SOL',
      kind: 'number',
      show: ({ change }) => (
        <span className={change === 0n ? 'muted' : change > 0n ? 'up' : 'down'}>
          {change > 0n && '+'}
          {formatSol(change)}
        </span>
      ),
    },
    { title: 'Before, SOL', kind: 'number', show: ({ before }) => formatSol(before) },
    { title: 'After, SOL', kind: 'number', show: ({ after }) => formatSol(after) },
  ];
}
