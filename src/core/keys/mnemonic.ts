import { hash, pbkdf2, pbkdf2Sync, randomFillSync } from 'node:crypto';
import { promisify } from 'node:util';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { secretBytes } from './secret-bytes.ts';

/** Supported numbers of words: 128 or 256 bits of entropy. */
export type MnemonicWords = 12 | 24;

/** Fills a buffer with random bytes, or throws. */
export type FillRandom = (into: Uint8Array) => unknown;

/** The longest mnemonic: 24 words of at most 8 letters, and 23 spaces. */
export const MAX_MNEMONIC_BYTES = 24 * 8 + 23;
export const BIP39_SEED_BYTES = 64;
const ITERATIONS = 2048;
const BITS_PER_WORD = 11;
const SPACE = 0x20;
const ENTROPY_BYTES: Readonly<Record<MnemonicWords, number>> = { 12: 16, 24: 32 };
const WORDS: readonly Uint8Array[] = wordlist.map((word) => new TextEncoder().encode(word));
const INDEX_OF: ReadonlyMap<string, number> = new Map(wordlist.map((word, index) => [word, index]));
const SALT_PREFIX = 'mnemonic';
const pbkdf2Async = promisify(pbkdf2);

/** Creates an English mnemonic (BIP39) as ASCII bytes, which the caller wipes. Throws if `random` does, and makes nothing. */
export function createMnemonic(words: MnemonicWords, random: FillRandom = randomFillSync): Buffer {
  const entropy = secretBytes(ENTROPY_BYTES[words]);
  try {
    random(entropy);
    return mnemonicOf(entropy);
  } finally {
    entropy.fill(0);
  }
}

/** Returns the English mnemonic of 16 or 32 bytes of entropy, as ASCII bytes, which the caller wipes. */
export function mnemonicOf(entropy: Uint8Array): Buffer {
  const text = secretBytes(MAX_MNEMONIC_BYTES);
  const end = writeMnemonic(text, 0, entropy);
  return text.subarray(0, end);
}

/** Writes the English mnemonic of 16 or 32 bytes of entropy at `at`. @returns the position after it. */
export function writeMnemonic(into: Uint8Array, at: number, entropy: Uint8Array): number {
  const bits = secretBytes(entropy.length + 1);
  bits.set(entropy);
  bits[entropy.length] = checksumByte(entropy);
  const words = (entropy.length * 3) / 4;
  let end = at;
  for (let word = 0; word < words; word += 1) {
    const letters = WORDS[elevenBits(bits, word * BITS_PER_WORD)] ?? new Uint8Array();
    if (word > 0) into[end++] = SPACE;
    into.set(letters, end);
    end += letters.length;
  }
  bits.fill(0);
  return end;
}

/**
 * Reads an English mnemonic of 12 or 24 words as typed: in any case, with any white space, in any Unicode form.
 * @returns its canonical ASCII bytes, which the caller wipes; undefined for an unknown word, another number of words or a wrong checksum.
 *   The text itself is a JavaScript string, which cannot be wiped: keep it for a short time.
 */
export function readMnemonic(text: string): Buffer | undefined {
  const words = text.normalize('NFKD').toLowerCase().trim().split(/\s+/);
  if (words.length !== 12 && words.length !== 24) return undefined;
  const entropy = secretBytes(ENTROPY_BYTES[words.length]);
  const bits = secretBytes(entropy.length + 1);
  try {
    for (const [at, word] of words.entries()) {
      const index = INDEX_OF.get(word);
      if (index === undefined) return undefined;
      writeElevenBits(bits, at * BITS_PER_WORD, index);
    }
    entropy.set(bits.subarray(0, entropy.length));
    return checksumByte(entropy) === bits[entropy.length] ? mnemonicOf(entropy) : undefined;
  } finally {
    entropy.fill(0);
    bits.fill(0);
  }
}

/** True when `readMnemonic` accepts it. */
export function isMnemonic(text: string): boolean {
  const mnemonic = readMnemonic(text);
  mnemonic?.fill(0);
  return mnemonic !== undefined;
}

/**
 * Returns the seed (64 bytes, wiped by the caller) of a mnemonic in any language and a passphrase, both taken in NFKD (BIP39, "From
 * mnemonic to seed"). Does not check that it is a mnemonic. Takes a millisecond of a thread of libuv.
 */
export async function mnemonicSeed(mnemonic: string | Uint8Array, passphrase = ''): Promise<Buffer> {
  const [words, salt] = [wordBytes(mnemonic), passphraseSalt(passphrase)];
  try {
    return await pbkdf2Async(words, salt, ITERATIONS, BIP39_SEED_BYTES, 'sha512');
  } finally {
    words.fill(0);
    salt.fill(0);
  }
}

/** Like `mnemonicSeed`, but synchronous, for worker threads. `salt` is that of `passphraseSalt`. */
export function mnemonicSeedNow(mnemonic: Uint8Array, salt: Uint8Array): Buffer {
  return pbkdf2Sync(mnemonic, salt, ITERATIONS, BIP39_SEED_BYTES, 'sha512');
}

/** Returns the salt of BIP39, "mnemonic" and the passphrase in NFKD; as secret as the passphrase. */
export function passphraseSalt(passphrase = ''): Buffer {
  return Buffer.from(SALT_PREFIX + passphrase.normalize('NFKD'));
}

function wordBytes(mnemonic: string | Uint8Array): Buffer {
  return typeof mnemonic === 'string' ? Buffer.from(mnemonic.normalize('NFKD')) : Buffer.from(mnemonic);
}

/** Returns the checksum, 4 bits for 16 bytes or 8 for 32, at the top of a byte. */
function checksumByte(entropy: Uint8Array): number {
  const digest = hash('sha256', entropy, 'buffer');
  const first = digest[0] ?? 0;
  digest.fill(0);
  return first & (0xff << (8 - entropy.length / 4));
}

function elevenBits(bytes: Uint8Array, at: number): number {
  const from = at >> 3;
  const window = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
  return (window >> (24 - BITS_PER_WORD - (at & 7))) & 0x7ff;
}

function writeElevenBits(bytes: Uint8Array, at: number, value: number): void {
  const from = at >> 3;
  const window = value << (24 - BITS_PER_WORD - (at & 7));
  for (const [offset, shift] of [16, 8, 0].entries()) {
    const index = from + offset;
    if (index < bytes.length) bytes[index] = (bytes[index] ?? 0) | ((window >> shift) & 0xff);
  }
}
