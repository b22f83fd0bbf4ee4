import type { Message } from '../../wire/message.ts';
import { countSignatures } from './fee.ts';

const SIGNATURE_COST = 720n;
const ED25519_COST = 2_400n;
const SECP256K1_COST = 6_690n;
const SECP256R1_COST = 4_800n;
const WRITE_LOCK_COST = 300n;
const DATA_BYTES_PER_UNIT = 4;
const PAGE_BYTES = 32 * 1024;
const PAGE_COST = 8n;

/** Returns the share of an executed transaction in its block's cost limit, in cost units (crate solana-cost-model). */
export function transactionCost(
  message: Message,
  executed: { readonly units: bigint; readonly loadedBytes: number },
): bigint {
  const counts = countSignatures(message);
  const signatures =
    BigInt(counts.transaction) * SIGNATURE_COST +
    BigInt(counts.ed25519) * ED25519_COST +
    BigInt(counts.secp256k1) * SECP256K1_COST +
    BigInt(counts.secp256r1) * SECP256R1_COST;
  const dataBytes = message.instructions.reduce((sum, { data }) => sum + data.length, 0);
  const data = BigInt(Math.trunc(dataBytes / DATA_BYTES_PER_UNIT));
  const memory = BigInt(Math.ceil(executed.loadedBytes / PAGE_BYTES)) * PAGE_COST;
  return signatures + BigInt(writeLocks(message)) * WRITE_LOCK_COST + data + executed.units + memory;
}

/** The number of write locks that the header and the lookups request, before any is demoted. */
function writeLocks({ header, staticKeys, lookups }: Message): number {
  const fixed = staticKeys.length - header.numReadonlySignedAccounts - header.numReadonlyUnsignedAccounts;
  return lookups.reduce((sum, { writableIndexes }) => sum + writableIndexes.length, fixed);
}
