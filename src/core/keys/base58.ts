import { secretBytes } from './secret-bytes.ts';

/** Encodes 32 or 64 bytes as base-58 digits, written as ASCII; the same as `base58.encode` of @scure/base, at a fifth of its cost. */
export type Base58Encoder = {
  /** Maximum number of digits: 44 for 32 bytes, 88 for 64. */
  readonly maxDigits: number;
  /** Writes the digits of `bytes` at `at`. @returns the position after them. */
  readonly writeInto: (into: Uint8Array, at: number, bytes: Uint8Array) => number;
  /** Wipes the last encoded bytes. */
  readonly wipe: () => void;
};

const ALPHABET = new TextEncoder().encode('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');
const ONE = 0x31;
const DIGITS_PER_LIMB = 5;
/** 58^5, below 2^30. */
const LIMB = 58 ** DIGITS_PER_LIMB;
const PAIR = 58 ** 2;
const FIRST_OF = Uint8Array.from({ length: PAIR }, (_, pair) => ALPHABET[Math.floor(pair / 58)] ?? 0);
const SECOND_OF = Uint8Array.from({ length: PAIR }, (_, pair) => ALPHABET[pair % 58] ?? 0);

/**
 * Creates an encoder with scratch memory of its own. The bytes are 16-bit words; each weighs a known number of limbs of base 58^5, so that
 * the sum of a column is at most 32 · 2^16 · 2^30 = 2^51, which a double holds exactly; carrying comes last.
 */
export function createBase58Encoder(sizeBytes: 32 | 64): Base58Encoder {
  const words = sizeBytes / 2;
  const maxDigits = sizeBytes === 32 ? 44 : 88;
  const limbs = Math.ceil(maxDigits / DIGITS_PER_LIMB);
  const weights = weightsOf(words, limbs);
  const sums = new Float64Array(secretBytes(limbs * Float64Array.BYTES_PER_ELEMENT).buffer);
  const digits = secretBytes(limbs * DIGITS_PER_LIMB);
  return {
    maxDigits,
    writeInto(into, at, bytes) {
      sumInto(sums, weights, bytes);
      carry(sums);
      spell(sums, digits);
      let end = at;
      let zeros = 0;
      for (; zeros < sizeBytes && bytes[zeros] === 0; zeros += 1) into[end++] = ONE;
      let from = 0;
      while (from < digits.length && digits[from] === ONE) from += 1;
      for (; from < digits.length; from += 1) into[end++] = digits[from] ?? 0;
      return end;
    },
    wipe() {
      sums.fill(0);
      digits.fill(0);
    },
  };
}

/**
 * The weight of a 1 in each 16-bit word, row by row, in limbs, the most significant first; and the first non-zero limb of each row: half of
 * all limbs come before it.
 */
type Weights = { readonly weights: Float64Array; readonly heaviest: Uint8Array };

function weightsOf(words: number, limbs: number): Weights {
  const weights = new Float64Array(words * limbs);
  const heaviest = new Uint8Array(words);
  for (let word = 0; word < words; word += 1) {
    let rest = 1n << BigInt(16 * (words - 1 - word));
    for (let limb = limbs - 1; limb >= 0; limb -= 1) {
      weights[word * limbs + limb] = Number(rest % BigInt(LIMB));
      if (rest > 0n) heaviest[word] = limb;
      rest /= BigInt(LIMB);
    }
  }
  return { weights, heaviest };
}

function sumInto(sums: Float64Array, { weights, heaviest }: Weights, bytes: Uint8Array): void {
  const limbs = sums.length;
  sums.fill(0);
  for (let word = 0, row = 0; row < weights.length; word += 1, row += limbs) {
    const value = ((bytes[2 * word] ?? 0) << 8) | (bytes[2 * word + 1] ?? 0);
    for (let limb = heaviest[word] ?? 0; limb < limbs; limb += 1) {
      sums[limb] = (sums[limb] ?? 0) + value * (weights[row + limb] ?? 0);
    }
  }
}

function carry(sums: Float64Array): void {
  for (let limb = sums.length - 1; limb > 0; limb -= 1) {
    const sum = sums[limb] ?? 0;
    const over = Math.floor(sum / LIMB);
    sums[limb] = sum - over * LIMB;
    sums[limb - 1] = (sums[limb - 1] ?? 0) + over;
  }
}

function spell(sums: Float64Array, digits: Uint8Array): void {
  for (let limb = 0, at = 0; limb < sums.length; limb += 1, at += DIGITS_PER_LIMB) {
    const value = (sums[limb] ?? 0) | 0;
    const high = (value / (PAIR * PAIR)) | 0;
    const rest = value - high * PAIR * PAIR;
    const middle = (rest / PAIR) | 0;
    const low = rest - middle * PAIR;
    digits[at] = ALPHABET[high] ?? 0;
    digits[at + 1] = FIRST_OF[middle] ?? 0;
    digits[at + 2] = SECOND_OF[middle] ?? 0;
    digits[at + 3] = FIRST_OF[low] ?? 0;
    digits[at + 4] = SECOND_OF[low] ?? 0;
  }
}
