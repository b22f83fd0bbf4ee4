import {
  type Address,
  airdropFactory,
  appendTransactionMessageInstructions,
  assertIsTransactionWithBlockhashLifetime,
  assertIsTransactionWithinSizeLimit,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  estimateAndSetResourceLimitsFactory,
  estimateResourceLimitsFactory,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  type Signature,
  sendAndConfirmTransactionFactory,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Transaction,
  type TransactionPartialSigner,
  type V1TransactionConfig,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import type { Target } from '../targets.ts';

export const SOL = 1_000_000_000n;
/** The fee of a signature, in lamports. */
export const FEE = 5000n;

/** kit at a node, as an application has it. */
export type Clients = ReturnType<typeof openKit>;

/** Opens kit's calls and subscriptions of a node, and what kit makes of both. */
export function openKit({ rpcUrl, wsUrl }: Target) {
  const rpc = createSolanaRpc(rpcUrl);
  const rpcSubscriptions = createSolanaRpcSubscriptions(wsUrl);
  return {
    rpc,
    rpcSubscriptions,
    estimateLimits: estimateAndSetResourceLimitsFactory(estimateResourceLimitsFactory({ rpc })),
    sendAndConfirm: sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions }),
  };
}

/** A new key pair with 10 SOL. */
export async function fundedSigner({ rpc, rpcSubscriptions }: Clients): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner();
  await airdropFactory({ rpc, rpcSubscriptions })({
    commitment: 'confirmed',
    lamports: lamports(10n * SOL),
    recipientAddress: signer.address,
  });
  return signer;
}

/** A message of version 1 with the latest blockhash, and these limits alone. */
export async function messageOf(
  { rpc }: Clients,
  payer: TransactionPartialSigner,
  instructions: readonly Instruction[],
  limits: V1TransactionConfig = {},
) {
  const { value: blockhash } = await rpc.getLatestBlockhash().send();
  return pipe(
    createTransactionMessage({ version: 1 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(blockhash, paid),
    (dated) => setTransactionMessageConfig(limits, dated),
    (limited) => appendTransactionMessageInstructions(instructions, limited),
  );
}

export type Version1Message = Awaited<ReturnType<typeof messageOf>>;

/** Signs a message, and holds that the transaction is not too large to be sent. */
export async function sign(message: Version1Message) {
  const transaction = await signTransactionMessageWithSigners(message);
  assertIsTransactionWithBlockhashLifetime(transaction);
  assertIsTransactionWithinSizeLimit(transaction);
  return transaction;
}

/** A transaction that was sent, and is confirmed. */
export type Landed = {
  readonly message: Version1Message;
  readonly transaction: Transaction;
  readonly signature: Signature;
  readonly slot: bigint;
};

/** Estimates the limits that the message does not set, signs it, sends it and waits until it is confirmed. @throws SolanaError when it fails. */
export async function land(
  clients: Clients,
  payer: TransactionPartialSigner,
  instructions: readonly Instruction[],
  limits: V1TransactionConfig = {},
): Promise<Landed> {
  const message = await clients.estimateLimits(await messageOf(clients, payer, instructions, limits));
  const transaction = await sign(message);
  await clients.sendAndConfirm(transaction, { commitment: 'confirmed' });
  const signature = getSignatureFromTransaction(transaction);
  const [status] = (await clients.rpc.getSignatureStatuses([signature]).send()).value;
  if (!status) throw new Error(`${signature} is confirmed and has no status`);
  return { message, transaction, signature, slot: status.slot };
}

/** An instruction that moves lamports. */
export function transfer(
  source: TransactionPartialSigner,
  destination: Address,
  amount: bigint,
): Instruction {
  return getTransferSolInstruction({ source, destination, amount });
}

/** An instruction of as many bytes of data. */
export function memoOf(sizeBytes: number): Instruction {
  return getAddMemoInstruction({ memo: 'Version 1 has room. '.repeat(sizeBytes).slice(0, sizeBytes) });
}
