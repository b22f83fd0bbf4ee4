import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The kinds of secret that are issued as text, by prefix. */
export type KeyTextPrefix = 'ks_key_' | 'ks_tok_' | 'ks_ses_' | 'ks_inv_' | 'ks_set_';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** 62^43 > 2^256: 32 bytes in base-62, padded with zeros. */
const SECRET_DIGITS = 43;
/** 62^6 > 2^32. */
const CHECKSUM_DIGITS = 6;
const SHOWN_DIGITS = 4;
const BODY = /^[0-9A-Za-z]{49}$/;

/** Creates a secret of 256 random bits: prefix, 43 base-62 digits, and 6 digits of the CRC-32 of all before them. */
export function createKeyText(
  prefix: KeyTextPrefix,
  random: (sizeBytes: number) => Uint8Array = randomBytes,
): string {
  const text = prefix + encodeSecret(random(SECRET_BYTES));
  return text + checksum(text);
}

/** True when the text is complete and its checksum is right. The key may still never have been issued. */
export function isKeyText(prefix: KeyTextPrefix, text: string): boolean {
  if (!text.startsWith(prefix) || !BODY.test(text.slice(prefix.length))) return false;
  return text.slice(-CHECKSUM_DIGITS) === checksum(text.slice(0, -CHECKSUM_DIGITS));
}

/** Returns the beginning that may be stored and shown to tell keys apart: prefix and 4 digits. */
export function shownPart(prefix: KeyTextPrefix, text: string): string {
  return text.slice(0, prefix.length + SHOWN_DIGITS);
}

function encodeSecret(secret: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(secret).toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < SECRET_DIGITS; digit += 1) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/** Runs on every request, so it computes with numbers, which are fast. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let digit = 0; digit < CHECKSUM_DIGITS; digit += 1) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
