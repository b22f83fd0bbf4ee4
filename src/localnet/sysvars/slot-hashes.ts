import type { BlockHistory } from '../blocks/block-history.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

const MAX_ENTRIES = 512n;
const SIZE_BYTES = 8 + 512 * 40;

/** Data of the slot hashes sysvar in the bank of `slot`: its ancestors, newest first. The hash is the blockhash. */
export function slotHashesData(blocks: BlockHistory, slot: bigint): Uint8Array {
  const ancestors = [...blocks.ancestors(slot, MAX_ENTRIES)];
  const writer = new ByteWriter(SIZE_BYTES).u64(BigInt(ancestors.length));
  for (const ancestor of ancestors) writer.u64(ancestor).put(blocks.blockhashBytes(ancestor));
  return writer.bytes;
}
