import type { BlockHistory } from '../blocks/block-history.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

const MAX_ENTRIES = 512n;
const SIZE_BYTES = 8 + 512 * 40;

/** Data of the slot hashes sysvar in the bank of `slot`: its ancestors, newest first. The hash is the blockhash. */
export function slotHashesData(blocks: BlockHistory, slot: bigint): Uint8Array {
  const oldest = slot > MAX_ENTRIES ? slot - MAX_ENTRIES : 0n;
  const first = oldest > blocks.firstAvailable ? oldest : blocks.firstAvailable;
  const writer = new ByteWriter(SIZE_BYTES).u64(slot > first ? slot - first : 0n);
  for (let ancestor = slot - 1n; ancestor >= first; ancestor--)
    writer.u64(ancestor).put(blocks.blockhashBytes(ancestor));
  return writer.bytes;
}
