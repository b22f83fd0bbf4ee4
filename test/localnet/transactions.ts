import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  type TransactionInstruction as Instruction,
} from '@solana/web3.js';
import type { TestLedger } from './new-ledger.ts';

export const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
export const SOL = 1_000_000_000n;

export function memo(text: string, ...signers: readonly PublicKey[]): Instruction {
  const keys = signers.map((pubkey) => ({ pubkey, isSigner: true, isWritable: false }));
  return new TransactionInstruction({ programId: MEMO_PROGRAM, keys, data: Buffer.from(text) });
}

export function transfer(from: Keypair, to: PublicKey, lamports: bigint): Instruction {
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });
}

export function price(microLamports: number | bigint): Instruction {
  return ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
}

/** A legacy transaction with the ledger's latest blockhash, signed by all; the first signer pays. In base-64. */
export function signed(
  test: TestLedger,
  signers: readonly [Keypair, ...Keypair[]],
  ...instructions: readonly Instruction[]
): string {
  return build(test, signers, ...instructions)
    .serialize()
    .toString('base64');
}

export function build(
  test: TestLedger,
  signers: readonly [Keypair, ...Keypair[]],
  ...instructions: readonly Instruction[]
): Transaction {
  const { blocks } = test.ledger;
  const transaction = new Transaction().add(...instructions);
  transaction.feePayer = signers[0].publicKey;
  transaction.recentBlockhash = blocks.blockhash(blocks.openSlot - 1n);
  transaction.sign(...signers);
  return transaction;
}

/** Sends without preflight; the signature. */
export function sendNow({ call }: TestLedger, text: string): Promise<string> {
  return call('sendTransaction', text, { encoding: 'base64', skipPreflight: true });
}

/** A wallet that an airdrop has funded, at processed. */
export async function fundedWallet(test: TestLedger, lamports: bigint = 10n * SOL): Promise<Keypair> {
  const wallet = Keypair.generate();
  await test.call('requestAirdrop', wallet.publicKey.toBase58(), lamports);
  return wallet;
}

/** The transaction as it landed, or null. */
export async function landed(test: TestLedger, signature: string) {
  const record = test.ledger.blocks.index.find(signature);
  return record === undefined ? null : record.meta;
}
