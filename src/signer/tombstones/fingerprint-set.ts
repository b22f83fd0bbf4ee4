export const FINGERPRINT_BYTES = 16;
const WORDS = FINGERPRINT_BYTES / 4;
const FIRST_SLOTS = 1024;

/** A set of fingerprints in memory; none is ever removed. */
export type FingerprintSet = {
  readonly has: (fingerprint: Buffer) => boolean;
  readonly add: (fingerprint: Buffer) => void;
  readonly size: () => number;
  readonly memoryBytes: () => number;
};

/**
 * Creates an open-addressing table of 16-byte fingerprints in one array, at most three quarters full: 22 to 43 bytes per entry, half as
 * much again while it doubles. A million of them takes 32 MiB. A fingerprint is a hash, so its first word is evenly distributed.
 */
export function createFingerprintSet(): FingerprintSet {
  let slots = new Uint32Array(FIRST_SLOTS * WORDS);
  let size = 0;

  /** Returns the slot of the fingerprint, or the free slot for it. A free slot is all zeros, which no hash is. */
  const find = (table: Uint32Array, words: readonly number[]): number => {
    const count = table.length / WORDS;
    for (let slot = (words[0] ?? 0) % count; ; slot = (slot + 1) % count) {
      const at = slot * WORDS;
      if (isFree(table, at) || words.every((word, index) => table[at + index] === word)) return at;
    }
  };
  const grow = (): void => {
    const larger = new Uint32Array(slots.length * 2);
    for (let at = 0; at < slots.length; at += WORDS) {
      const words = [...slots.subarray(at, at + WORDS)];
      if (!isFree(slots, at)) larger.set(words, find(larger, words));
    }
    slots = larger;
  };
  return {
    has: (fingerprint) => !isFree(slots, find(slots, wordsOf(fingerprint))),
    add: (fingerprint) => {
      const words = wordsOf(fingerprint);
      const at = find(slots, words);
      if (!isFree(slots, at)) return;
      slots.set(words, at);
      size += 1;
      if (size * WORDS * 4 > slots.length * 3) grow();
    },
    size: () => size,
    memoryBytes: () => slots.byteLength,
  };
}

function isFree(table: Uint32Array, at: number): boolean {
  return table[at] === 0 && table[at + 1] === 0 && table[at + 2] === 0 && table[at + 3] === 0;
}

function wordsOf(fingerprint: Buffer): readonly number[] {
  return [0, 4, 8, 12].map((offset) => fingerprint.readUInt32LE(offset));
}
