import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { WalletMetadata } from '../../../../../generated/wallets/types.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Field } from '../../../parts/field.tsx';
import { nameOf, type Network } from '../../../parts/networks.ts';
import { Sol } from '../../../parts/number.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { CostNote } from '../cost-note.tsx';
import { useBalance } from '../use-balance.ts';
import { useStoppable } from '../../../parts/use-stoppable.ts';
import { type CheckedTransfer, checkTransfer, type TransferFaults } from './check-transfer.ts';
import { SendOutcome } from './send-outcome.tsx';
import { type SendStep, sendLamports } from './send-lamports.ts';

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
  // To send once more could pay twice: what was sent may still be carried out.
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
          hint="An address."
          problem={faults.to}
          spellCheck={false}
          autoComplete="off"
          required
        />
        <Field
          name="amount"
          label="Amount in SOL"
          hint="The fee of the network comes on top of it."
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
