import { COMMITMENTS } from '../../rpc/commitment.ts';
import { NAME_BYTES } from './name-readers.ts';
import type { SentMarks, SentSeen } from './seen-slots.ts';

const VALUE_BYTES = 6;
const AGE_BYTES = 2;
const MARKS = COMMITMENTS.length;
const MARKS_BYTES = MARKS * (VALUE_BYTES + AGE_BYTES);
const RECORD_BYTES = NAME_BYTES + 2 * MARKS_BYTES;
/** No chain comes this far. A node that says so is not repeated. */
const MAX_VALUE = 2 ** (8 * VALUE_BYTES) - 1;
const MAX_AGE_MS = 2 ** (8 * AGE_BYTES) - 1;

/** Writes what readers have seen, 64 bytes for each: the name, then value (6 bytes) and age in milliseconds (2) of each mark; base64. */
export function writeSeenRecords(seen: readonly SentSeen[]): string {
  const bytes = Buffer.alloc(seen.length * RECORD_BYTES);
  for (const [index, [name, slots, heights]] of seen.entries()) {
    const at = index * RECORD_BYTES;
    bytes.write(name, at, NAME_BYTES, 'base64url');
    writeMarks(bytes, at + NAME_BYTES, slots);
    writeMarks(bytes, at + NAME_BYTES + MARKS_BYTES, heights);
  }
  return bytes.toString('base64');
}

/** @returns undefined for what `writeSeenRecords` does not write. */
export function readSeenRecords(text: string): readonly SentSeen[] | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % RECORD_BYTES !== 0) return undefined;
  return Array.from({ length: bytes.length / RECORD_BYTES }, (_, index) => {
    const at = index * RECORD_BYTES;
    const name = bytes.toString('base64url', at, at + NAME_BYTES);
    const marksAt = at + NAME_BYTES;
    return [name, readMarks(bytes, marksAt), readMarks(bytes, marksAt + MARKS_BYTES)];
  });
}

function writeMarks(bytes: Buffer, from: number, marks: SentMarks): void {
  let at = from;
  for (let index = 0; index < MARKS; index++) {
    const [value = 0, ageMs = 0] = marks.slice(2 * index, 2 * index + 2);
    at = bytes.writeUIntBE(value > MAX_VALUE ? 0 : value, at, VALUE_BYTES);
    at = bytes.writeUIntBE(Math.min(ageMs, MAX_AGE_MS), at, AGE_BYTES);
  }
}

function readMarks(bytes: Buffer, from: number): SentMarks {
  return COMMITMENTS.flatMap((_, index) => {
    const at = from + index * (VALUE_BYTES + AGE_BYTES);
    return [bytes.readUIntBE(at, VALUE_BYTES), bytes.readUIntBE(at + VALUE_BYTES, AGE_BYTES)];
  });
}
