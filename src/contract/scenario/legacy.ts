import { randomBytes } from 'node:crypto';
import { getPublicKeyAsync } from '@noble/ed25519';
import { base58 } from '@scure/base';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';

/** A seed and its public key, as wallets export them: 64 bytes. */
export type SecretKey = { readonly secretKey: Uint8Array };

const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
const TRANSFER = 2;

/** Makes a key pair that has no funds. */
export async function newKeyPair(): Promise<SecretKey> {
  const seed = randomBytes(32);
  return { secretKey: Buffer.concat([seed, await getPublicKeyAsync(seed)]) };
}

/** The address of a key pair. */
export function addressOf({ secretKey }: SecretKey): string {
  return base58.encode(secretKey.subarray(32));
}

/** The system program's instruction that transfers lamports. */
export function transferInstruction(from: string, to: string, lamports: number): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(TRANSFER);
  data.writeBigUInt64LE(BigInt(lamports), 4);
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: from as Address, role: AccountRole.WRITABLE_SIGNER },
      { address: to as Address, role: AccountRole.WRITABLE },
    ],
    data,
  };
}

/** Builds a legacy transaction that the wallet pays for and signs. In base-64, and the bytes that were signed. */
export async function signLegacy(wallet: SecretKey, blockhash: string, instructions: readonly Instruction[]) {
  const payer = await createKeyPairSignerFromBytes(wallet.secretKey);
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (made) => setTransactionMessageFeePayerSigner(payer, made),
    (made) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
        made,
      ),
    (made) => appendTransactionMessageInstructions(instructions, made),
  );
  const signed = await signTransactionMessageWithSigners(message);
  return { text: getBase64EncodedWireTransaction(signed), messageBytes: signed.messageBytes };
}
