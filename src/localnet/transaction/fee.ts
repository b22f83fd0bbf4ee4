import type { Message } from '../../core/wire/message.ts';
import { ED25519_PROGRAM, SECP256K1_PROGRAM, SECP256R1_PROGRAM } from '../addresses/program-ids.ts';
import type { ComputeBudget } from './compute-budget.ts';

/** Lamports per signature. */
export const LAMPORTS_PER_SIGNATURE = 5_000n;
const U64_MAX = 2n ** 64n - 1n;

/** Number of signatures that a message has verified, by kind. */
export type SignatureCounts = {
  readonly transaction: number;
  readonly ed25519: number;
  readonly secp256k1: number;
  readonly secp256r1: number;
};

/** Returns the fee of a message in lamports: signatures (those that precompiles verify too) and the priority fee. */
export function transactionFee(
  message: Message,
  { priorityFee }: Pick<ComputeBudget, 'priorityFee'>,
): bigint {
  const counts = countSignatures(message);
  const signatures = counts.transaction + counts.ed25519 + counts.secp256k1 + counts.secp256r1;
  const fee = BigInt(signatures) * LAMPORTS_PER_SIGNATURE + priorityFee;
  return fee < U64_MAX ? fee : U64_MAX;
}

/** Counts the signatures that a message has verified: its own, and those passed to precompiles. */
export function countSignatures(message: Message): SignatureCounts {
  const of = (program: string): number =>
    message.instructions
      .filter(({ programIdIndex }) => message.staticKeys[programIdIndex] === program)
      .reduce((sum, { data }) => sum + (data[0] ?? 0), 0);
  return {
    transaction: message.header.numRequiredSignatures,
    ed25519: of(ED25519_PROGRAM),
    secp256k1: of(SECP256K1_PROGRAM),
    secp256r1: of(SECP256R1_PROGRAM),
  };
}
