import { crc32 } from 'node:zlib';
import type { Block } from '../block/block.ts';
import type { Tip } from '../next-blocks.ts';

/** A block of a chain, by its slot and hash. */
export type Link = Tip & { readonly blockhash: string };

/** A block as stored in a file: its place in the chain, and the node's packed reply. */
export type BlockRecord = {
  readonly parent: Link;
  readonly link: Link;
  /** The highest finalized slot known when it was read; at most its own. */
  readonly finalizedSlot: bigint;
  readonly packed: Buffer;
};

const MAGIC = 0x4b53_4231;
const FRAME_BYTES = 16;
const CRC_AT = 12;

/** Returns the record of a block. */
export function recordOf(block: Block, packed: Buffer): BlockRecord {
  const { slot, blockhash, parentSlot, previousBlockhash, rootSlot: finalizedSlot } = block;
  const parent = { slot: parentSlot, blockhash: previousBlockhash };
  return { parent, link: { slot, blockhash }, finalizedSlot, packed };
}

/** Encodes a record: magic, lengths of the two parts and a CRC-32 of all that, 4 bytes each, little-endian; its place as JSON; the reply. */
export function encodeRecord({ parent, link, finalizedSlot, packed }: BlockRecord): Buffer {
  const slots = [parent.slot, link.slot, finalizedSlot].map(String);
  const head = Buffer.from(JSON.stringify([...slots, parent.blockhash, link.blockhash]));
  const frame = Buffer.alloc(FRAME_BYTES);
  frame.writeUInt32LE(MAGIC, 0);
  frame.writeUInt32LE(head.length, 4);
  frame.writeUInt32LE(packed.length, 8);
  frame.writeUInt32LE(checksum(frame, head, packed), CRC_AT);
  return Buffer.concat([frame, head, packed]);
}

/** Decodes the record at a position. Undefined: it is incomplete, or its checksum does not match. */
export function decodeRecord(
  bytes: Buffer,
  at: number,
): { readonly record: BlockRecord; readonly endAt: number } | undefined {
  if (!isLongEnough(bytes, at)) return undefined;
  const headAt = at + FRAME_BYTES;
  const packedAt = headAt + bytes.readUInt32LE(at + 4);
  const endAt = packedAt + bytes.readUInt32LE(at + 8);
  const [head, packed] = [bytes.subarray(headAt, packedAt), bytes.subarray(packedAt, endAt)];
  if (checksum(bytes.subarray(at, headAt), head, packed) !== bytes.readUInt32LE(at + CRC_AT))
    return undefined;
  return { record: { ...readHead(head), packed }, endAt };
}

/** True if all bytes that the frame of a record announces are present. */
export function isLongEnough(bytes: Buffer, at: number): boolean {
  const headAt = at + FRAME_BYTES;
  if (headAt > bytes.length || bytes.readUInt32LE(at) !== MAGIC) return false;
  return headAt + bytes.readUInt32LE(at + 4) + bytes.readUInt32LE(at + 8) <= bytes.length;
}

function checksum(frame: Buffer, head: Buffer, packed: Buffer): number {
  return crc32(packed, crc32(head, crc32(frame.subarray(0, CRC_AT))));
}

/** The head has passed the checksum, so it is trusted. */
function readHead(head: Buffer): Omit<BlockRecord, 'packed'> {
  const [parentSlot, slot, finalizedSlot, previousBlockhash, blockhash] = JSON.parse(head.toString()) as [
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    parent: { slot: BigInt(parentSlot), blockhash: previousBlockhash },
    link: { slot: BigInt(slot), blockhash },
    finalizedSlot: BigInt(finalizedSlot),
  };
}
