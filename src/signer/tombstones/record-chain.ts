import { hash } from 'node:crypto';
import { FINGERPRINT_BYTES } from './fingerprint-set.ts';

/** An entry in a record: its fingerprint. */
export const ENTRY_BYTES = FINGERPRINT_BYTES;

/** The number of entries of a record of destroyed keys, and the hash of all of them in order. */
export type RecordState = { readonly count: number; readonly hash: Uint8Array };

const DOMAIN = Buffer.from('keyslot tombstone v1\0');

/** The state of an empty record. */
export const EMPTY_RECORD: RecordState = { count: 0, hash: new Uint8Array(32) };

/**
 * Returns the state of a record with more entries: each adds SHA-256 over a mark, the 32 bytes of the previous hash and its own 16.
 *
 * @param entries concatenated fingerprints of 16 bytes.
 */
export function addEntries({ count, hash: before }: RecordState, entries: Buffer): RecordState {
  const text = Buffer.concat([DOMAIN, before, Buffer.alloc(ENTRY_BYTES)]);
  const hashAt = DOMAIN.length;
  const entryAt = hashAt + before.length;
  let last = before;
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    text.set(last, hashAt);
    entries.copy(text, entryAt, at, at + ENTRY_BYTES);
    last = hash('sha256', text, 'buffer');
  }
  return { count: count + entries.length / ENTRY_BYTES, hash: last };
}

/** True when two records are the same, entry for entry. */
export function isSameRecord(a: RecordState, b: RecordState): boolean {
  return a.count === b.count && Buffer.compare(a.hash, b.hash) === 0;
}
