import {
  Connection,
  Keypair,
  type PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { inject } from 'vitest';
import { confirm } from '../../../src/devkit/contract/confirmation.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { call } from '../../../src/devkit/contract/json-rpc.ts';

export const SOL = 1_000_000_000;
/** The fee of a signature, in lamports. */
export const FEE = 5000;

/** The address of the server with its key. */
export const rpcUrl = inject('rpcUrl');

/** web3.js v1 as an application uses it: the address with its key, and nothing changed. */
export const connection = new Connection(rpcUrl, 'confirmed');

/** Polls until the transaction is confirmed and returns its slot. @throws Error when it failed. */
export async function landed(signature: string): Promise<number> {
  return await confirm({ rpcUrl }, signature);
}

/** A new key pair with a number of lamports, by airdrop. */
export async function fundedKeypair(amount = 10 * SOL): Promise<Keypair> {
  const keypair = Keypair.generate();
  await landed(await connection.requestAirdrop(keypair.publicKey, amount));
  return keypair;
}

/** A signed legacy transaction with the latest blockhash. */
export async function signed(
  payer: Keypair,
  instructions: readonly TransactionInstruction[],
  signers: readonly Keypair[] = [],
): Promise<Transaction> {
  const transaction = new Transaction({
    feePayer: payer.publicKey,
    ...(await connection.getLatestBlockhash()),
  });
  transaction.add(...instructions).sign(payer, ...signers);
  return transaction;
}

/** Signs, sends and confirms instructions that must succeed. */
export async function land(
  payer: Keypair,
  instructions: readonly TransactionInstruction[],
  signers: readonly Keypair[] = [],
): Promise<{ readonly signature: string; readonly slot: number }> {
  const transaction = await signed(payer, instructions, signers);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  return { signature, slot: await landed(signature) };
}

/** The same, in a block that web3.js 1.98 can read whole: other suites send transactions of version 1 to the same server. */
export async function landReadable(
  payer: Keypair,
  instructions: () => readonly TransactionInstruction[],
): Promise<{ readonly signature: string; readonly slot: number }> {
  return await eventually('a block has no transaction of version 1', async () => {
    const sent = await land(payer, instructions());
    const config = {
      maxSupportedTransactionVersion: 1,
      transactionDetails: 'accounts',
      commitment: 'confirmed',
    };
    const block = (await call({ rpcUrl }, 'getBlock', [sent.slot, config])) as Versions;
    return block.transactions.every(({ version }) => version !== 1) ? sent : undefined;
  });
}

type Versions = { readonly transactions: readonly { readonly version: unknown }[] };

/** An instruction that moves lamports. */
export function transfer(from: Keypair, to: PublicKey, lamports: number | bigint): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });
}
