import { base58 } from '@scure/base';

/** Bytes as base-58 text in the Bitcoin alphabet, the text form of addresses, hashes and signatures. */
export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

/** The bytes of base-58 text. Throws on characters outside the alphabet: callers pass validated text. */
export function decodeBase58(text: string): Uint8Array {
  return base58.decode(text);
}
