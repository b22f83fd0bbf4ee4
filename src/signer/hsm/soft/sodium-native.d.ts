declare module 'sodium-native' {
  /** The functions of libsodium that the signer calls. They write into the buffer given first. */
  const sodium: {
    sodium_malloc(size: number): Buffer;
    sodium_memzero(buffer: Uint8Array): void;
    randombytes_buf(buffer: Uint8Array): void;
    crypto_auth(mac: Uint8Array, message: Uint8Array, key: Uint8Array): void;
    crypto_hash_sha512(hash: Uint8Array, message: Uint8Array): void;
    crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
    crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
    crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  };
  export default sodium;
}
