import type { TransactionInstruction } from '@solana/web3.js';
import { transferInstruction } from './legacy.ts';
import { type Instruction, type Limits, ROLE, type SecretKey, signTransaction } from './sign-transaction.ts';

/** The limits of a transfer, with a priority fee of 1,000 lamports. */
export const TRANSFER_LIMITS: Limits = {
  priorityFeeLamports: 1_000n,
  computeUnitLimit: 450,
  loadedAccountsDataSizeLimit: 65_536,
};
const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

export type Version1Plan = { readonly limits: Limits; readonly instructions: readonly Instruction[] };

/** Builds a version 1 transaction that the wallet pays for and signs. In base-64, and the bytes that were signed. */
export async function signVersion1(wallet: SecretKey, blockhash: string, plan: Version1Plan) {
  return await signTransaction(wallet, blockhash, plan);
}

/** A transfer, with the limits that it needs. */
export function planTransfer(from: string, to: string, lamports: number): Version1Plan {
  return { limits: TRANSFER_LIMITS, instructions: [transferInstruction(from, to, lamports)] };
}

/** An instruction of web3.js in our form. */
export function instructionOf({ programId, keys, data }: TransactionInstruction): Instruction {
  return {
    programAddress: programId.toBase58(),
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
      address: pubkey.toBase58(),
      role: (isSigner ? ROLE.readonlySigner : ROLE.readonly) | (isWritable ? ROLE.writable : ROLE.readonly),
    })),
    data: new Uint8Array(data),
  };
}

/** A memo that makes the transaction larger than a packet. */
export function planLargeMemo(wallet: string, text: string): Version1Plan {
  return {
    limits: { computeUnitLimit: 200_000, loadedAccountsDataSizeLimit: 1_048_576 },
    instructions: [
      {
        programAddress: MEMO_PROGRAM,
        accounts: [{ address: wallet, role: ROLE.readonlySigner }],
        data: Buffer.from(text.padEnd(1_500, '.')),
      },
    ],
  };
}

/** The same transaction with zeros for its signature, which comes last. */
export function withoutSignature(text: string): string {
  const wire = Buffer.from(text, 'base64');
  return wire.fill(0, wire.length - 64).toString('base64');
}
