import { crc32 } from 'node:zlib';
import { max } from '../kept-blocks.ts';
import type { BlockRecord, Link } from './block-record.ts';

/** A summary of the records of a segment. Each record descends from the one before it. */
export type SegmentSummary = {
  /** The parent of the first record. */
  readonly base: Link;
  /** The last record; `base` for an empty segment. */
  readonly end: Link;
  /** The highest finalized slot named in the records. */
  readonly finalizedSlot: bigint;
  readonly count: number;
  /** The end of the records in the file. */
  readonly endAt: number;
};

/** Slots and positions of the records of a segment, ascending. */
export type SegmentIndex = { readonly slots: number[]; readonly places: number[] };

const MAGIC = Buffer.from('KSEGEND1');
const TRAILER_BYTES = MAGIC.length + 8;
const ENTRY_BYTES = 12;

/** Most bytes of a summary with its trailer. */
export const SUMMARY_BYTES = 4_096;

/** Returns the summary extended by one record. */
export function extend(summary: SegmentSummary, record: BlockRecord, endAt: number): SegmentSummary {
  const { link, finalizedSlot } = record;
  return {
    ...summary,
    end: link,
    finalizedSlot: max(finalizedSlot, summary.finalizedSlot),
    count: summary.count + 1,
    endAt,
  };
}

/** Returns the position of the first record after a slot, or the number of records if no record follows. */
export function indexAfter({ slots }: SegmentIndex, slot: bigint): number {
  let [low, high] = [0, slots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slots[middle] ?? 0) <= Number(slot)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Encodes the end of a sealed segment: its index, its summary, and a trailer that locates them. */
export function encodeFooter(summary: SegmentSummary, { slots, places }: SegmentIndex): Buffer {
  const index = Buffer.alloc(slots.length * ENTRY_BYTES);
  for (const [at, slot] of slots.entries()) {
    index.writeBigUInt64LE(BigInt(slot), at * ENTRY_BYTES);
    index.writeUInt32LE(places[at] ?? 0, at * ENTRY_BYTES + 8);
  }
  const { base, end, finalizedSlot, count, endAt } = summary;
  const numbers = [base.slot, end.slot, finalizedSlot].map(String);
  const text = JSON.stringify([...numbers, base.blockhash, end.blockhash, count, endAt, crc32(index)]);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(Buffer.byteLength(text), 0);
  trailer.writeUInt32LE(crc32(text), 4);
  MAGIC.copy(trailer, 8);
  return Buffer.concat([index, Buffer.from(text), trailer]);
}

/** Reads the summary from the last bytes of a file. Undefined: it is missing or incomplete. */
export function decodeSummary(
  tail: Buffer,
): (SegmentSummary & { readonly indexChecksum: number }) | undefined {
  const trailer = tail.subarray(-TRAILER_BYTES);
  if (trailer.length < TRAILER_BYTES || !trailer.subarray(8).equals(MAGIC)) return undefined;
  const textEnd = tail.length - TRAILER_BYTES;
  const text = tail.subarray(Math.max(0, textEnd - trailer.readUInt32LE(0)), textEnd);
  if (crc32(text) !== trailer.readUInt32LE(4)) return undefined;
  const [baseSlot, endSlot, finalizedSlot, baseHash, endHash, count, endAt, indexChecksum] = JSON.parse(
    text.toString(),
  ) as [string, string, string, string, string, number, number, number];
  return {
    base: { slot: BigInt(baseSlot), blockhash: baseHash },
    end: { slot: BigInt(endSlot), blockhash: endHash },
    finalizedSlot: BigInt(finalizedSlot),
    count,
    endAt,
    indexChecksum,
  };
}

/** Size of the index of `count` records, in bytes. */
export const indexBytes = (count: number): number => count * ENTRY_BYTES;

/** Reads an index. Undefined: its checksum does not match. */
export function decodeIndex(bytes: Buffer, checksum: number): SegmentIndex | undefined {
  if (crc32(bytes) !== checksum) return undefined;
  const count = Math.floor(bytes.length / ENTRY_BYTES);
  const positions = Array.from({ length: count }, (_, at) => at * ENTRY_BYTES);
  return {
    slots: positions.map((at) => Number(bytes.readBigUInt64LE(at))),
    places: positions.map((at) => bytes.readUInt32LE(at + 8)),
  };
}
