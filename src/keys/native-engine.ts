import sodium from 'sodium-native';
import { serviceError } from '../service-error.ts';
import {
  type KeyEngine,
  PUBLIC_KEY_BYTES,
  SECRET_KEY_BYTES,
  SHA512_BYTES,
  SIGNATURE_BYTES,
} from './engine.ts';

/** Ed25519 and SHA-512 by libsodium. */
export function createNativeEngine(): KeyEngine {
  return {
    kind: 'native',
    publicKey,
    keyPair: (seed, into) => sodium.crypto_sign_seed_keypair(into.publicKey, into.secretKey, seed),
    sign,
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

function publicKey(seed: Uint8Array): Uint8Array {
  const made = new Uint8Array(PUBLIC_KEY_BYTES);
  const secretKey = new Uint8Array(SECRET_KEY_BYTES);
  try {
    sodium.crypto_sign_seed_keypair(made, secretKey, seed);
    return made;
  } finally {
    sodium.sodium_memzero(secretKey);
  }
}

function sign(seed: Uint8Array, expected: Uint8Array, message: Uint8Array): Uint8Array {
  const own = new Uint8Array(PUBLIC_KEY_BYTES);
  const secretKey = new Uint8Array(SECRET_KEY_BYTES);
  try {
    sodium.crypto_sign_seed_keypair(own, secretKey, seed);
    if (Buffer.compare(own, expected) !== 0) throw notThePublicKey();
    const signature = new Uint8Array(SIGNATURE_BYTES);
    sodium.crypto_sign_detached(signature, message, secretKey);
    return signature;
  } finally {
    sodium.sodium_memzero(secretKey);
  }
}

function notThePublicKey(): Error {
  return serviceError('internalError', {}, new Error('the public key is not that of the seed'));
}
