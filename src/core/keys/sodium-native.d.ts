/** The part of sodium-native in use; the package ships no types. Each call throws on a buffer of the wrong size. */
declare module 'sodium-native' {
  const sodium: {
    /** Fills `publicKey` (32 bytes) and `secretKey` (64 bytes, seed and public key) from a seed of 32 bytes. */
    crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
    crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
    crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
    crypto_hash_sha512(digest: Uint8Array, message: Uint8Array): void;
    sodium_memzero(bytes: Uint8Array): void;
    /** Allocates memory between guard pages that is never swapped, and wiped when it is freed. */
    sodium_malloc(sizeBytes: number): Buffer;
    randombytes_buf(bytes: Uint8Array): void;
    /** HMAC-SHA-512-256 of a message under a key of 32 bytes. */
    crypto_auth(mac: Uint8Array, message: Uint8Array, key: Uint8Array): void;
  };
  export default sodium;
}
