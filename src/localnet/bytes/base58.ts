import { base58 } from '@scure/base';

/** Maximum size that @scure/base encodes; instructions of version 1, and those that programs call, may be longer. */
const SHORT_BYTES = 2_048;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ZERO = '1';
/** Base-58 digits per byte: log 256 / log 58, rounded up. */
const DIGITS_PER_BYTE = 1.37;

/**
 * Encodes bytes of any length as base-58 text in the Bitcoin alphabet, the text form of addresses, hashes, signatures and instruction data.
 */
export function encodeBase58(bytes: Uint8Array): string {
  return bytes.length > SHORT_BYTES ? encodeLong(bytes) : base58.encode(bytes);
}

/** Decodes base-58 text. Throws on characters outside the alphabet: callers pass validated text. */
export function decodeBase58(text: string): Uint8Array {
  return base58.decode(text);
}

function encodeLong(bytes: Uint8Array): string {
  const first = bytes.findIndex((byte) => byte !== 0);
  const zeros = ZERO.repeat(first < 0 ? bytes.length : first);
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  return zeros + spell(value, Math.ceil(bytes.length * DIGITS_PER_BYTE)).replace(/^1+/, '');
}

/** Returns the given number of base-58 digits of a value. Splits it in halves, so that the cost of long ones is less than quadratic. */
function spell(value: bigint, digits: number): string {
  if (digits === 1) return ALPHABET.charAt(Number(value));
  const low = digits >> 1;
  const weight = 58n ** BigInt(low);
  return spell(value / weight, digits - low) + spell(value % weight, low);
}

/** Encodes bytes as padded base-64 text in the standard alphabet (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
