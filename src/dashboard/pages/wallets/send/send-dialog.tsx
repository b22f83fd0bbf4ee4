import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { WalletMetadata } from '../../../../../generated/wallets/types.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Field } from '../../../parts/field.tsx';
import { nameOf, type Network, explorerPath } from '../../../parts/networks.ts';
import { Sol } from '../../../parts/number.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { CostNote } from '../cost-note.tsx';
import { useBalance } from '../use-balance.ts';
import { useStoppable } from '../../../parts/use-stoppable.ts';
import { type CheckedTransfer, checkTransfer, type TransferFaults } from './check-transfer.ts';
import type { TransactionError } from '../../../../../generated/ledger/types.ts';
import { KeyText } from '../../../parts/key-text.tsx';
import { explainTransactionError } from '../../explorer/transaction/explain-error.ts';
import { awaitSignature } from '../../../calls/await-signature.ts';
import { callLedger } from '../../../calls/call-ledger.ts';
import { wallets } from '../../../calls/credentials.ts';
import { signedTransaction, transferMessage, toBase64 } from './transfer-message.ts';

type SendDialogProps = {
  readonly wallet: WalletMetadata;
  readonly network: Network;
  readonly onClose: () => void;
};

/** Sends lamports from a wallet, on a test network. */
export function SendDialog({ wallet, network, onClose }: SendDialogProps) {
  const client = useQueryClient();
  const [faults, setFaults] = useState<TransferFaults>({});
  const [step, setStep] = useState<SendStep>();
  const { begin } = useStoppable();
  const balance = useBalance(network.rpc_path, wallet.address);
  const send = useMutation({
    mutationFn: (transfer: CheckedTransfer) =>
      sendLamports({ rpcPath: network.rpc_path, wallet, onStep: setStep, signal: begin() }, transfer),
    onSettled: () => client.invalidateQueries({ queryKey: ['ledger', network.rpc_path] }),
  });
  // Sending again could pay twice, because the sent transaction may still land.
  const isSent = step?.kind === 'sent';
  return (
    <Dialog title="Send SOL" description={`On ${nameOf(network)}, a test network.`} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const fields = { to: readForm(form, 'to').trim(), amount: readForm(form, 'amount') };
          const checked = checkTransfer(wallet.address, fields);
          setFaults('lamports' in checked ? {} : checked);
          if ('lamports' in checked && !isSent) send.mutate(checked);
        }}
      >
        <p>Balance: {balance.data === undefined ? '…' : <Sol lamports={balance.data} />}</p>
        <Field
          name="to"
          label="To"
          hint="The address of the recipient."
          problem={faults.to}
          spellCheck={false}
          autoComplete="off"
          required
        />
        <Field
          name="amount"
          label="Amount in SOL"
          hint="The network fee is added to it."
          problem={faults.amount}
          inputMode="decimal"
          autoComplete="off"
          required
        />
        <CostNote
          price="managed_signing"
          per="The signature"
          operation={['Managed wallets', 'signWithWallet']}
        />
        <SendOutcome network={network} step={step} isPending={send.isPending} outcome={send.data} />
        <ErrorNotice error={send.error} operation={['Transactions', 'sendTransaction', 'ledger']} />
        <div className="actions">
          {isSent && !send.isPending ? (
            <Button type="button" kind="primary" onClick={onClose}>
              Done
            </Button>
          ) : (
            <>
              <Button type="button" onClick={onClose}>
                Close
              </Button>
              <Button type="submit" kind="primary" isBusy={send.isPending}>
                Send
              </Button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  );
}

type SendOutcomeProps = {
  readonly network: Network;
  readonly step: SendStep | undefined;
  readonly isPending: boolean;
  readonly outcome: { readonly failure: TransactionError | null } | undefined;
};

/** The progress of a transfer, with its transaction once it exists. */
function SendOutcome({ network, step, isPending, outcome }: SendOutcomeProps) {
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
    return { signing: 'Signing…', sending: 'Sending…', sent: 'Sent; waiting for confirmation…' }[step.kind];
  return step.kind === 'sent' ? 'Sent, but not confirmed yet. Follow it in the explorer.' : 'Not sent.';
}

/** The sender, the network, and the progress callback of a transfer. */
type Sending = {
  readonly rpcPath: string;
  readonly wallet: { readonly wallet_id: string; readonly address: string };
  readonly onStep: (step: SendStep) => void;
  readonly signal: AbortSignal;
};

/** The step of a transfer: from `sent` on it may land, whatever happens here. */
type SendStep =
  | { readonly kind: 'signing' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'sent'; readonly signature: string };

/**
 * Transfers lamports from a managed wallet: the wallet service signs the message, the network takes the transaction, and a subscription
 * reports its confirmation.
 * @returns its signature, and its error if it failed. Throws CallError and RestCallError.
 */
async function sendLamports(
  { rpcPath, wallet, onStep, signal }: Sending,
  { to, lamports }: CheckedTransfer,
): Promise<{ readonly signature: string; readonly failure: TransactionError | null }> {
  onStep({ kind: 'signing' });
  const { base58 } = await import('@scure/base');
  const { value } = await callLedger(rpcPath, (ledger) =>
    ledger.getLatestBlockhash({ commitment: 'confirmed' }),
  );
  const message = transferMessage({
    from: base58.decode(wallet.address),
    to: base58.decode(to),
    blockhash: base58.decode(value.blockhash),
    lamports,
  });
  const body = { message: toBase64(message), encoding: 'base64' } as const;
  const signed = await (await wallets()).signWithWallet(wallet.wallet_id, body, { signal });
  onStep({ kind: 'sending' });
  const transaction = toBase64(signedTransaction(message, base58.decode(signed.signature)));
  const config = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;
  const signature = await callLedger(rpcPath, (ledger) => ledger.sendTransaction(transaction, config));
  onStep({ kind: 'sent', signature });
  return { signature, failure: await awaitSignature(rpcPath, signature, signal) };
}
