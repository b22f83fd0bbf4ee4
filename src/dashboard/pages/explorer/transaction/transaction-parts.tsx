import { Link } from 'wouter';
import type {
  ConfirmationStatus,
  ParsedConfirmedTransaction,
} from '../../../../../generated/ledger/types.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { KeyText } from '../../../parts/key-text.tsx';
import { explorerPath, type Network, tracePath } from '../../../parts/networks.ts';
import { Count, Sol } from '../../../parts/number.tsx';
import { Time } from '../../../parts/time.tsx';
import { instantOf } from '../../../parts/unix-time.ts';
import { TryCall } from '../try-call.tsx';
import { BalanceTable } from './balance-table.tsx';
import { describeInstructions } from './describe-instruction.ts';
import { explainTransactionError } from './explain-error.ts';
import { Instructions } from './instructions.tsx';
import { TRANSACTION_CONFIG } from './transaction-config.ts';

type TransactionPartsProps = {
  readonly network: Network;
  readonly signature: string;
  readonly transaction: ParsedConfirmedTransaction;
  readonly status: ConfirmationStatus | null;
};

/** A transaction that was found. */
export function TransactionParts({ network, signature, transaction, status }: TransactionPartsProps) {
  const { meta, slot, blockTime, version } = transaction;
  const { message } = transaction.transaction;
  const signers = message.accountKeys.filter(({ signer }) => signer);
  return (
    <>
      <section className="panel" aria-labelledby="outcome">
        <div className="panel-head">
          <h2 id="outcome">Outcome</h2>
          <TryCall
            tag="Transactions"
            method="getTransaction"
            params={[signature, TRANSACTION_CONFIG]}
            network={network}
          />
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
