import { Keypair, type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { rentFor, type WalletSession } from './wallet-session.ts';

export type NewAccount = {
  readonly keypair: Keypair;
  readonly key: PublicKey;
  readonly create: TransactionInstruction;
};

/** A new key pair and the instruction that makes it a rent-exempt account of a program. */
export async function newAccount(
  { target, wallet }: WalletSession,
  sizeBytes: number,
  programId: PublicKey,
  extraLamports = 0,
): Promise<NewAccount> {
  const keypair = Keypair.generate();
  const lamports = (await rentFor(target, sizeBytes)) + extraLamports;
  const create = SystemProgram.createAccount({
    fromPubkey: wallet.publicKey,
    newAccountPubkey: keypair.publicKey,
    lamports,
    space: sizeBytes,
    programId,
  });
  return { keypair, key: keypair.publicKey, create };
}
