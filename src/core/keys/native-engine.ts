import sodium from 'sodium-native';
import {
  type KeyEngine,
  PUBLIC_KEY_BYTES,
  SECRET_KEY_BYTES,
  SHA512_BYTES,
  SIGNATURE_BYTES,
} from './engine.ts';

/**
 * Creates an engine on libsodium. The expanded seed lies in memory between guard pages, out of swap and core dumps as far as the system
 * allows, and is wiped before a call returns. Not to be shared between threads.
 */
export function createNativeEngine(): KeyEngine {
  const secretKey = sodium.sodium_malloc(SECRET_KEY_BYTES);
  const withSecretKey = <T>(seed: Uint8Array, use: (publicKey: Uint8Array) => T): T => {
    const publicKey = new Uint8Array(PUBLIC_KEY_BYTES);
    try {
      sodium.crypto_sign_seed_keypair(publicKey, secretKey, seed);
      return use(publicKey);
    } finally {
      sodium.sodium_memzero(secretKey);
    }
  };
  return {
    kind: 'native',
    publicKey: (seed) => withSecretKey(seed, (publicKey) => publicKey),
    keyPair: (seed, into) => sodium.crypto_sign_seed_keypair(into.publicKey, into.secretKey, seed),
    sign: (seed, message) =>
      withSecretKey(seed, () => {
        const signature = new Uint8Array(SIGNATURE_BYTES);
        sodium.crypto_sign_detached(signature, message, secretKey);
        return signature;
      }),
    verify: (signature, message, key) =>
      signature.length === SIGNATURE_BYTES &&
      key.length === PUBLIC_KEY_BYTES &&
      sodium.crypto_sign_verify_detached(signature, message, key),
    sha512(message) {
      const digest = new Uint8Array(SHA512_BYTES);
      sodium.crypto_hash_sha512(digest, message);
      return digest;
    },
    sha512Into: (into, message) => sodium.crypto_hash_sha512(into, message),
    wipe(...secrets) {
      for (const secret of secrets) sodium.sodium_memzero(secret);
    },
  };
}
