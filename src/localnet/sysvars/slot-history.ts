import { ByteWriter } from '../bytes/byte-writer.ts';

const MAX_SLOTS = 1_048_576n;
const WORDS = MAX_SLOTS / 64n;
const ALL_BITS = 2n ** 64n - 1n;

/** Data of the slot history sysvar in the bank of `slot`: one bit per slot, all set because no slot is skipped. */
export function slotHistoryData(slot: bigint): Uint8Array {
  const writer = new ByteWriter(1 + 8 + Number(WORDS) * 8 + 8 + 8).u8(1).u64(WORDS);
  for (let word = 0n; word < WORDS; word++) writer.u64(wordBits(word, slot));
  return writer.u64(MAX_SLOTS).u64(slot + 1n).bytes;
}

function wordBits(word: bigint, slot: bigint): bigint {
  if (slot >= MAX_SLOTS || slot >= word * 64n + 63n) return ALL_BITS;
  return slot < word * 64n ? 0n : 2n ** (slot - word * 64n + 1n) - 1n;
}
