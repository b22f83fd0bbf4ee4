import { crc32 } from 'node:zlib';
import { FINGERPRINT_BYTES } from './fingerprint-set.ts';

/** Size of an entry on disk: the fingerprint and its CRC-32. */
export const ENTRY_BYTES = FINGERPRINT_BYTES + 4;

/** Encodes concatenated fingerprints as entries of a file. */
export function encodeEntries(fingerprints: Buffer): Buffer {
  const count = fingerprints.length / FINGERPRINT_BYTES;
  const bytes = Buffer.alloc(count * ENTRY_BYTES);
  for (let index = 0; index < count; index += 1) {
    const fingerprint = fingerprints.subarray(index * FINGERPRINT_BYTES, (index + 1) * FINGERPRINT_BYTES);
    const end = fingerprint.copy(bytes, index * ENTRY_BYTES) + index * ENTRY_BYTES;
    bytes.writeUInt32LE(crc32(fingerprint), end);
  }
  return bytes;
}

/**
 * Decodes the fingerprints of intact entries, up to the first broken one.
 *
 * @returns also the position of the broken one, if any, and whether an intact one follows it: then a crash has not torn it.
 */
export function decodeEntries(bytes: Buffer): {
  readonly fingerprints: Buffer;
  readonly tornAt: number | undefined;
  readonly isDamaged: boolean;
} {
  const count = Math.floor(bytes.length / ENTRY_BYTES);
  const fingerprints = Buffer.alloc(count * FINGERPRINT_BYTES);
  let whole = 0;
  let tornAt: number | undefined;
  let isDamaged = false;
  for (let index = 0; index < count; index += 1) {
    const entry = bytes.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES);
    if (!isWhole(entry)) tornAt ??= index * ENTRY_BYTES;
    else if (tornAt !== undefined) isDamaged = true;
    else whole += entry.copy(fingerprints, whole, 0, FINGERPRINT_BYTES);
  }
  const rest = count * ENTRY_BYTES;
  if (rest < bytes.length) tornAt ??= rest;
  return { fingerprints: fingerprints.subarray(0, whole), tornAt, isDamaged };
}

function isWhole(entry: Buffer): boolean {
  return crc32(entry.subarray(0, FINGERPRINT_BYTES)) === entry.readUInt32LE(FINGERPRINT_BYTES);
}
