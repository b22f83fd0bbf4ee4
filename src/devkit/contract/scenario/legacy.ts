import { randomBytes } from 'node:crypto';
import { getPublicKeyAsync } from '@noble/ed25519';
import { type Instruction, ROLE, type SecretKey, signTransaction } from './sign-transaction.ts';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const TRANSFER = 2;

/** Makes a key pair that has no funds. */
export async function newKeyPair(): Promise<SecretKey> {
  const seed = randomBytes(32);
  return { secretKey: Buffer.concat([seed, await getPublicKeyAsync(seed)]) };
}

/** The system program's instruction that transfers lamports. */
export function transferInstruction(from: string, to: string, lamports: number): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(TRANSFER);
  data.writeBigUInt64LE(BigInt(lamports), 4);
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: from, role: ROLE.writableSigner },
      { address: to, role: ROLE.writable },
    ],
    data,
  };
}

/** Builds a legacy transaction that the wallet pays for and signs. In base-64, and the bytes that were signed. */
export async function signLegacy(wallet: SecretKey, blockhash: string, instructions: readonly Instruction[]) {
  return await signTransaction(wallet, blockhash, { instructions });
}
