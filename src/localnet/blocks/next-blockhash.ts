import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import type { TransactionRecord } from '../model.ts';

const ABSENT_SIGNATURE = new Uint8Array(64);

/** What a blockhash is made of. */
export type BlockParts = {
  /** The hash of the block before. */
  readonly parent: Uint8Array;
  readonly slot: bigint;
  readonly records: readonly TransactionRecord[];
  /** Given: the block differs from one of the same parts in another branch. */
  readonly salt: bigint | undefined;
};

/** Returns the hash of a block: SHA-256 of its parent's, its slot, and the signatures and results of its transactions. */
export function nextBlockhash({ parent, slot, records, salt }: BlockParts): Uint8Array {
  const hash = createHash('sha256').update(parent).update(u64(slot));
  if (salt !== undefined) hash.update(u64(salt));
  for (const { transaction, meta } of records) {
    const signature = transaction.signatures[0];
    hash.update(signature === undefined ? ABSENT_SIGNATURE : base58.decode(signature));
    hash.update(JSON.stringify(meta.err));
  }
  return hash.digest();
}

function u64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
