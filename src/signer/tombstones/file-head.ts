import { crc32 } from 'node:zlib';
import type { RecordState } from './record-chain.ts';

/** The head of a file of tombstones: it covers at least the acknowledged entries. */
export type FileHead = RecordState & {
  /** True when the store knows the record. */
  readonly isAdopted: boolean;
  /** Counts the written heads: of two, the later one counts. */
  readonly generation: number;
};

export const MAGIC = Buffer.from('KSTOMB2\n');
/** Offset of the first entry. */
export const ENTRIES_AT = 4096;

/** Written alternately, each in a sector of its own: a crash that tears one leaves the previous one. */
const SLOTS = [1024, 2048] as const;
const COUNT_AT = 8;
const FLAGS_AT = 16;
const HASH_AT = 20;
const CRC_AT = 52;
const SLOT_BYTES = 56;

/** Encodes a head, and returns the offset to write it to. */
export function encodeHead(head: FileHead): { readonly at: number; readonly bytes: Buffer } {
  const bytes = Buffer.alloc(SLOT_BYTES);
  bytes.writeBigUInt64LE(BigInt(head.generation), 0);
  bytes.writeBigUInt64LE(BigInt(head.count), COUNT_AT);
  bytes.writeUInt32LE(head.isAdopted ? 1 : 0, FLAGS_AT);
  bytes.set(head.hash, HASH_AT);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CRC_AT)), CRC_AT);
  return { at: SLOTS[head.generation % 2 === 0 ? 0 : 1], bytes };
}

/** Encodes the beginning of a file, up to its entries. */
export function encodeBeginning(head: FileHead): Buffer {
  const page = Buffer.alloc(ENTRIES_AT);
  const { at, bytes } = encodeHead(head);
  MAGIC.copy(page);
  bytes.copy(page, at);
  return page;
}

/** Returns the valid head; undefined if neither is intact. @param page the file's first 4,096 bytes. */
export function readHead(page: Buffer): FileHead | undefined {
  return SLOTS.flatMap((at) => decode(page.subarray(at, at + SLOT_BYTES)) ?? [])
    .sort((a, b) => a.generation - b.generation)
    .at(-1);
}

function decode(bytes: Buffer): FileHead | undefined {
  if (bytes.length < SLOT_BYTES || crc32(bytes.subarray(0, CRC_AT)) !== bytes.readUInt32LE(CRC_AT))
    return undefined;
  return {
    generation: Number(bytes.readBigUInt64LE(0)),
    count: Number(bytes.readBigUInt64LE(COUNT_AT)),
    isAdopted: bytes.readUInt32LE(FLAGS_AT) === 1,
    hash: Buffer.from(bytes.subarray(HASH_AT, CRC_AT)),
  };
}
