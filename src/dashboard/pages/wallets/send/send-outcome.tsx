import type { TransactionError } from '../../../../../generated/ledger/types.ts';
import { KeyText } from '../../../parts/key-text.tsx';
import { explorerPath, type Network } from '../../../parts/networks.ts';
import { explainTransactionError } from '../../explorer/transaction/explain-error.ts';
import type { SendStep } from './send-lamports.ts';

type SendOutcomeProps = {
  readonly network: Network;
  readonly step: SendStep | undefined;
  readonly isPending: boolean;
  readonly outcome: { readonly failure: TransactionError | null } | undefined;
};

/** How far a transfer has come, and its transaction once it has one. */
export function SendOutcome({ network, step, isPending, outcome }: SendOutcomeProps) {
  if (step === undefined) return null;
  const signature = step.kind === 'sent' ? step.signature : undefined;
  return (
    <div className="wallet-named" role="status">
      <span>{describe(step, isPending, outcome)}</span>
      {signature !== undefined && (
        <KeyText text={signature} noun="signature" href={explorerPath(network, signature)} />
      )}
    </div>
  );
}

function describe(step: SendStep, isPending: boolean, outcome: SendOutcomeProps['outcome']): string {
  if (outcome !== undefined)
    return outcome.failure === null ? 'Confirmed.' : `Failed: ${explainTransactionError(outcome.failure)}`;
  if (isPending)
    return { signing: 'Signing…', sending: 'Sending…', sent: 'Sent; waiting until it is confirmed…' }[
      step.kind
    ];
  return step.kind === 'sent' ? 'Sent, not seen as confirmed. Follow it in the explorer.' : 'Not sent.';
}
