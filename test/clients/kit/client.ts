import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  assertIsTransactionWithBlockhashLifetime,
  compileTransaction,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Transaction,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { inject } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';

export const SOL = 1_000_000_000n;
/** The fee of a signature, in lamports. */
export const FEE = 5000n;

/** kit as an application uses it: the address with its key, and nothing changed. */
export const rpc = createSolanaRpc(inject('rpcUrl'));

export type Landed = { readonly slot: bigint; readonly err: unknown };

/** Polls getSignatureStatuses until the transaction is confirmed (or finalized). A failed one counts. */
export async function landed(
  signature: Signature,
  level: 'confirmed' | 'finalized' = 'confirmed',
): Promise<Landed> {
  return await eventually(`${signature} ${level}`, async () => {
    const { value } = await rpc.getSignatureStatuses([signature]).send();
    const status = value[0];
    const reached = status?.confirmationStatus === 'finalized' || status?.confirmationStatus === level;
    return status && reached ? status : undefined;
  });
}

/** A new key pair with a number of lamports, by airdrop. */
export async function fundedSigner(amount: bigint = 10n * SOL): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner();
  await landed(await rpc.requestAirdrop(signer.address, lamports(amount)).send());
  return signer;
}

/** The address of a key pair nobody used before. */
export async function newAddress(): Promise<Address> {
  return (await generateKeyPairSigner()).address;
}

/** A message of version 0 with the latest blockhash. */
export async function messageOf(payer: KeyPairSigner, instructions: readonly Instruction[]) {
  const { value: blockhash } = await rpc.getLatestBlockhash().send();
  return pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(payer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(blockhash, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
  );
}

/** A fully signed transaction of these instructions. */
export async function signed(
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
): Promise<Transaction> {
  const transaction = await signTransactionMessageWithSigners(await messageOf(payer, instructions));
  assertIsTransactionWithBlockhashLifetime(transaction);
  return transaction;
}

/** The same without any signature. */
export async function unsigned(
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
): Promise<Transaction> {
  return compileTransaction(await messageOf(payer, instructions));
}

/** Sends a transaction with preflight. */
export async function send(
  transaction: Transaction,
  options: { readonly skipPreflight?: boolean } = {},
): Promise<Signature> {
  return await rpc
    .sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64', ...options })
    .send();
}

/** Signs, sends and confirms instructions that must succeed. */
export async function land(
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
): Promise<{ readonly signature: Signature; readonly slot: bigint }> {
  const signature = await send(await signed(payer, instructions));
  const { slot, err } = await landed(signature);
  if (err !== null) throw new Error(`${signature} failed`, { cause: err });
  return { signature, slot };
}

/** An instruction that moves lamports. */
export function transfer(source: KeyPairSigner, destination: Address, amount: bigint): Instruction {
  return getTransferSolInstruction({ source, destination, amount });
}

/** The balance at `confirmed`. */
export async function balanceOf(account: Address | string): Promise<bigint> {
  return (await rpc.getBalance(address(account)).send()).value;
}
