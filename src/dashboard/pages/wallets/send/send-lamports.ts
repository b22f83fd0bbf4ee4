import type { TransactionError } from '../../../../../generated/ledger/types.ts';
import { awaitSignature } from '../../../calls/await-signature.ts';
import { callLedger } from '../../../calls/call-ledger.ts';
import { wallets } from '../../../calls/credentials.ts';
import type { CheckedTransfer } from './check-transfer.ts';
import { toBase64 } from './to-base64.ts';
import { signedTransaction, transferMessage } from './transfer-message.ts';

/** Who sends, where, and who is told how far it has come. */
export type Sending = {
  readonly rpcPath: string;
  readonly wallet: { readonly wallet_id: string; readonly address: string };
  readonly onStep: (step: SendStep) => void;
  readonly signal: AbortSignal;
};

/** Where a transfer is: from `sent` on it may be carried out, whatever happens here. */
export type SendStep =
  | { readonly kind: 'signing' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'sent'; readonly signature: string };

/**
 * Transfers lamports from a managed wallet: the wallet service signs the message, the network takes the transaction, and a
 * subscription tells when it is confirmed.
 * @returns its signature, and why it failed if it did. Throws CallError and RestCallError.
 */
export async function sendLamports(
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
