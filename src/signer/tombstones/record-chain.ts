import { hash } from 'node:crypto';
import { FINGERPRINT_BYTES } from './fingerprint-set.ts';

/** An entry in a record: its fingerprint. */
export const ENTRY_BYTES = FINGERPRINT_BYTES;

/** How many entries a record of destroyed keys has, and the hash of all of them in their order. */
export type RecordState = { readonly count: number; readonly hash: Uint8Array };

const DOMAIN = Buffer.from('keyslot tombstone v1\0');

/** The state of a record without an entry. */
export const EMPTY_RECORD: RecordState = { count: 0, hash: new Uint8Array(32) };

/**
 * The state of a record with more entries: each adds SHA-256 over a mark, the 32 bytes of the hash before and its own 16.
 *
 * @param entries fingerprints of 16 bytes, one behind the other.
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

/** Whether two records are the same, entry for entry. */
export function isSameRecord(a: RecordState, b: RecordState): boolean {
  return a.count === b.count && Buffer.compare(a.hash, b.hash) === 0;
}
