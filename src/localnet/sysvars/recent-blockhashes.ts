import type { BlockHistory } from '../blocks/block-history.ts';
import { LAMPORTS_PER_SIGNATURE } from '../transaction/fee.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

const MAX_ENTRIES = 150n;
const SIZE_BYTES = 8 + 150 * 40;

/** Data of the recent blockhashes sysvar in the bank of `slot`, newest first. */
export function recentBlockhashesData(blocks: BlockHistory, slot: bigint): Uint8Array {
  const ancestors = [...blocks.ancestors(slot, MAX_ENTRIES)];
  const writer = new ByteWriter(SIZE_BYTES).u64(BigInt(ancestors.length));
  for (const ancestor of ancestors) writer.put(blocks.blockhashBytes(ancestor)).u64(LAMPORTS_PER_SIGNATURE);
  return writer.bytes;
}
