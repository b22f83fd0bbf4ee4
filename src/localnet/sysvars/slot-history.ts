import type { BlockHistory } from '../blocks/block-history.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

const MAX_SLOTS = 1_048_576n;
const WORDS = MAX_SLOTS / 64n;
const HEAD_BYTES = 1 + 8;
const ALL_BITS = 2n ** 64n - 1n;

/** Data of the slot history sysvar in the bank of `slot`: one bit per slot, set for all that have a block. */
export function slotHistoryData(slot: bigint, skipped: BlockHistory['skipped']): Uint8Array {
  const writer = new ByteWriter(HEAD_BYTES + Number(WORDS) * 8 + 8 + 8).u8(1).u64(WORDS);
  for (let word = 0n; word < WORDS; word++) writer.u64(wordBits(word, slot));
  const { bytes } = writer.u64(MAX_SLOTS).u64(slot + 1n);
  const oldest = slot < MAX_SLOTS ? 0n : slot - MAX_SLOTS + 1n;
  for (const { first, end } of skipped.within(oldest, slot)) clearBits(bytes, first, end);
  return bytes;
}

function wordBits(word: bigint, slot: bigint): bigint {
  if (slot >= MAX_SLOTS || slot >= word * 64n + 63n) return ALL_BITS;
  return slot < word * 64n ? 0n : 2n ** (slot - word * 64n + 1n) - 1n;
}

/** The bits go around: that of a slot is at its number modulo their number. */
function clearBits(bytes: Uint8Array, first: bigint, end: bigint): void {
  const start = Number(first % MAX_SLOTS);
  const length = Number(end - first);
  for (let offset = 0; offset < length; offset++) {
    const bit = (start + offset) % Number(MAX_SLOTS);
    const at = HEAD_BYTES + (bit >> 3);
    bytes[at] = (bytes[at] ?? 0) & ~(1 << (bit & 7));
  }
}
