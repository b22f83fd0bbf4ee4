/**
 * Ed25519 (RFC 8032) and SHA-512, by libsodium (`native`) or in JavaScript (`reference`). Both give the same bytes. A seed has 32 bytes, a
 * public key 32, a signature 64, a digest 64; other sizes throw. Parameters named `into` are written in place.
 */
export type KeyEngine = {
  readonly kind: 'native' | 'reference';
  readonly publicKey: (seed: Uint8Array) => Uint8Array;
  /** Computes the key pair of a seed: `publicKey` of 32 bytes, `secretKey` of 64, seed and public key. */
  readonly keyPair: (seed: Uint8Array, into: KeyPair) => void;
  /**
   * Signs a message of any length. The public key is computed from the seed, never passed in: two signatures of one message under two
   * public keys would reveal the key.
   */
  readonly sign: (seed: Uint8Array, message: Uint8Array) => Uint8Array;
  /** True for a signature of the message by this key; false for anything else, wrong sizes included. Never throws. */
  readonly verify: (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;
  readonly sha512: (message: Uint8Array) => Uint8Array;
  readonly sha512Into: (into: Uint8Array, message: Uint8Array) => void;
  /** Overwrites secrets with zeros. */
  readonly wipe: (...secrets: readonly Uint8Array[]) => void;
};

/** The memory that a key pair is written to. */
export type KeyPair = { readonly publicKey: Uint8Array; readonly secretKey: Uint8Array };

export const SEED_BYTES = 32;
export const PUBLIC_KEY_BYTES = 32;
export const SECRET_KEY_BYTES = 64;
export const SIGNATURE_BYTES = 64;
export const SHA512_BYTES = 64;
