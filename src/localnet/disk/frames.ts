import { crc32 } from 'node:zlib';

const HEAD_BYTES = 8;
/** Larger than any slot or snapshot part that is written; a greater length means damage. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** Returns a payload preceded by its length and checksum, so that a partial write is detected. */
export function frame(payload: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(payload.length, 0);
  head.writeUInt32LE(crc32(payload), 4);
  return Buffer.concat([head, payload]);
}

/** The frames of a file up to the first torn one. `goodBytes`: their total length. */
export type Frames = {
  readonly payloads: readonly Buffer[];
  readonly goodBytes: number;
  readonly isTorn: boolean;
};

/** Splits the content of a file into its payloads, which are views of it. */
export function readFrames(content: Buffer): Frames {
  const payloads: Buffer[] = [];
  let at = 0;
  while (at < content.length) {
    const payload = payloadAt(content, at);
    if (payload === undefined) return { payloads, goodBytes: at, isTorn: true };
    payloads.push(payload);
    at += HEAD_BYTES + payload.length;
  }
  return { payloads, goodBytes: at, isTorn: false };
}

function payloadAt(content: Buffer, at: number): Buffer | undefined {
  const start = at + HEAD_BYTES;
  if (start > content.length) return undefined;
  const length = content.readUInt32LE(at);
  if (length > MAX_BYTES || start + length > content.length) return undefined;
  const payload = content.subarray(start, start + length);
  return crc32(payload) === content.readUInt32LE(at + 4) ? payload : undefined;
}
