const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const DIGITS = new Int8Array(128).fill(-1);
for (let digit = 0; digit < ALPHABET.length; digit += 1) DIGITS[ALPHABET.charCodeAt(digit)] = digit;

/** Base 2^24 limbs, lowest first; room for 96 characters. Shared: the functions below do not call out while they use it. */
const LIMBS = new Float64Array(32);
const LIMB_BITS = 24;
const LIMB = 2 ** LIMB_BITS;
const MAX_DECODED_CHARACTERS = 96;
/** 58^4 is below 2^24: a limb times it, with the carry, stays exact in a double, and the last carry fits one limb. */
const CHARACTERS_AT_ONCE = 4;
const BITS_PER_CHARACTER = Math.log2(58);

/** The longest text that 32 or 64 bytes can have in base-58. */
const maxCharacters = (size: number): number => Math.ceil((size * 8) / BITS_PER_CHARACTER);

const DIGITS_ONLY = /^[1-9A-HJ-NP-Za-km-z]+$/;

/** 256^n in base-58, by n: a text without leading ones stands for n bytes if it is below the nth entry, and not below the previous one. */
const POWERS: readonly string[] = Array.from({ length: 65 }, (_, size) =>
  encodeInteger(256n ** BigInt(size)),
);

/**
 * True when the text is base-58 of exactly `size` bytes (at most 64): each leading one is a zero byte, the rest a number. Does not decode.
 */
export const isBase58 = (text: string, size: number): boolean => {
  const zeros = leadingOnes(text);
  const rest = zeros === 0 ? text : text.slice(zeros);
  if (rest === '' || zeros >= size) return rest === '' && zeros === size;
  return (
    isBelow(rest, POWERS[size - zeros]) && !isBelow(rest, POWERS[size - zeros - 1]) && DIGITS_ONLY.test(rest)
  );
};

/** The alphabet is in the order of its character codes: texts of the same length compare like their numbers. */
const isBelow = (text: string, limit = ''): boolean => {
  if (text.length !== limit.length) return text.length < limit.length;
  let at = 0;
  while (at < text.length && text.charCodeAt(at) === limit.charCodeAt(at)) at += 1;
  return text.charCodeAt(at) < limit.charCodeAt(at);
};

/**
 * Returns why the text is not base-58 of `size` bytes: a character outside the alphabet, or the wrong number of bytes. A text too long to
 * be right has the wrong size whatever its characters, as on ledger nodes.
 */
export const base58Fault = (text: string, size: number): 'badAlphabet' | 'wrongSize' =>
  text.length <= maxCharacters(size) && decodedSize(text) < 0 ? 'badAlphabet' : 'wrongSize';

/** Bytes that the text decodes to; -1 when a character is outside the alphabet (not checked beyond 96 characters). */
export const decodedSize = (text: string): number => {
  const zeros = leadingOnes(text);
  if (text.length - zeros > MAX_DECODED_CHARACTERS) return zeros + estimateSize(text, zeros);
  let used = 0;
  for (let at = zeros; at < text.length; ) {
    let carry = 0;
    let factor = 1;
    for (const end = Math.min(at + CHARACTERS_AT_ONCE, text.length); at < end; at += 1) {
      const digit = digitAt(text, at);
      if (digit < 0) return -1;
      carry = carry * 58 + digit;
      factor *= 58;
    }
    for (let limb = 0; limb < used; limb += 1) {
      const sum = (LIMBS[limb] ?? 0) * factor + carry;
      carry = Math.floor(sum / LIMB);
      LIMBS[limb] = sum - carry * LIMB;
    }
    if (carry > 0) {
      LIMBS[used] = carry;
      used += 1;
    }
  }
  if (used === 0) return zeros;
  const top = LIMBS[used - 1] ?? 0;
  return zeros + (used - 1) * (LIMB_BITS / 8) + (top >= 2 ** 16 ? 3 : top >= 2 ** 8 ? 2 : 1);
};

const digitAt = (text: string, at: number): number => DIGITS[text.charCodeAt(at)] ?? -1;

const leadingOnes = (text: string): number => {
  let count = 0;
  while (count < text.length && text.charCodeAt(count) === 49) count += 1;
  return count;
};

/** Size of a long number by its leading ones: linear, where decoding is quadratic. */
const estimateSize = (text: string, from: number): number => {
  let lead = 0;
  for (let at = from; at < from + 9; at += 1) lead = lead * 58 + Math.max(digitAt(text, at), 0);
  const bits = Math.log2(Math.max(lead, 1)) + (text.length - from - 9) * BITS_PER_CHARACTER;
  return Math.floor(bits / 8) + 1;
};

function encodeInteger(value: bigint): string {
  return value === 0n ? '' : encodeInteger(value / 58n) + ALPHABET[Number(value % 58n)];
}
