import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  type Blockhash,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import type { TransactionInstruction } from '@solana/web3.js';
import { type SecretKey, transferInstruction } from './legacy.ts';

type Limits = NonNullable<Parameters<typeof setTransactionMessageConfig>[0]>;

/** What a transfer needs, with a priority fee of 1,000 lamports. */
export const TRANSFER_LIMITS: Limits = {
  priorityFeeLamports: 1_000n,
  computeUnitLimit: 450,
  loadedAccountsDataSizeLimit: 65_536,
};
const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;

export type Version1Plan = { readonly limits: Limits; readonly instructions: readonly Instruction[] };

/** Builds a version 1 transaction that the wallet pays for and signs. In base-64, and the bytes that were signed. */
export async function signVersion1(
  wallet: SecretKey,
  blockhash: string,
  { limits, instructions }: Version1Plan,
) {
  const payer = await createKeyPairSignerFromBytes(wallet.secretKey);
  const message = pipe(
    createTransactionMessage({ version: 1 }),
    (made) => setTransactionMessageFeePayerSigner(payer, made),
    (made) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
        made,
      ),
    (made) => setTransactionMessageConfig(limits, made),
    (made) => appendTransactionMessageInstructions(instructions, made),
  );
  const signed = await signTransactionMessageWithSigners(message);
  return { text: getBase64EncodedWireTransaction(signed), messageBytes: signed.messageBytes };
}

/** A transfer, with the limits that it needs. */
export function planTransfer(from: string, to: string, lamports: number): Version1Plan {
  return { limits: TRANSFER_LIMITS, instructions: [transferInstruction(from, to, lamports)] };
}

/** An instruction of web3.js as kit has it. */
export function instructionOf({ programId, keys, data }: TransactionInstruction): Instruction {
  return {
    programAddress: programId.toBase58() as Address,
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
      address: pubkey.toBase58() as Address,
      role: roleOf(isSigner, isWritable),
    })),
    data: new Uint8Array(data),
  };
}

function roleOf(isSigner: boolean, isWritable: boolean): AccountRole {
  if (isSigner) return isWritable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER;
  return isWritable ? AccountRole.WRITABLE : AccountRole.READONLY;
}

/** A memo that makes the transaction larger than a packet. */
export function planLargeMemo(wallet: string, text: string): Version1Plan {
  return {
    limits: { computeUnitLimit: 200_000, loadedAccountsDataSizeLimit: 1_048_576 },
    instructions: [
      {
        programAddress: MEMO_PROGRAM,
        accounts: [{ address: wallet as Address, role: AccountRole.READONLY_SIGNER }],
        data: Buffer.from(text.padEnd(1_500, '.')),
      },
    ],
  };
}

/** The same transaction with a signature of zeros, which is the last thing in it. */
export function withoutSignature(text: Base64EncodedWireTransaction): string {
  const wire = Buffer.from(text, 'base64');
  return wire.fill(0, wire.length - 64).toString('base64');
}
