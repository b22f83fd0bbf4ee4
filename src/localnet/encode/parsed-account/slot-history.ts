import type { ByteReader } from '../../bytes/byte-reader.ts';

/** Number of slots in the history. */
const MAX_ENTRIES = 1_048_576;

/** The slot history sysvar: a bit vector of 64-bit blocks, written as one digit per slot. */
export function readSlotHistory(reader: ByteReader) {
  const blocks = reader.option(() => reader.list(reader.u64(), () => reader.u64())) ?? [];
  if (reader.u64() < BigInt(MAX_ENTRIES)) reader.reject();
  if (blocks.length * 64 < MAX_ENTRIES) reader.reject();
  const bits = blocks.map(digits).join('').slice(0, MAX_ENTRIES);
  return { nextSlot: reader.u64(), bits };
}

/** The bits of a block from the lowest up. */
function digits(block: bigint): string {
  return [...block.toString(2).padStart(64, '0')].reverse().join('');
}
