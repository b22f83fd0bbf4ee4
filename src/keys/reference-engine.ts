import { hash } from 'node:crypto';
import * as ed25519 from '@noble/ed25519';
import { type KeyEngine, PUBLIC_KEY_BYTES, SEED_BYTES, SHA512_BYTES, SIGNATURE_BYTES } from './engine.ts';

/**
 * Ed25519 by @noble/ed25519, SHA-512 by OpenSSL. It computes with JavaScript's bigint: scalars of a seed stay in memory that cannot be
 * wiped until it is collected, and their timing is not constant. The native engine has neither fault.
 */
export function createReferenceEngine(): KeyEngine {
  ed25519.hashes.sha512 = sha512;
  return {
    kind: 'reference',
    publicKey: (seed) => ed25519.getPublicKey(seed),
    keyPair(seed, { publicKey, secretKey }) {
      const made = ed25519.getPublicKey(seed);
      publicKey.set(made);
      secretKey.set(seed);
      secretKey.set(made, SEED_BYTES);
    },
    sign: (seed, message) => ed25519.sign(message, seed),
    verify,
    sha512,
    sha512Into(into, message) {
      if (into.length !== SHA512_BYTES) throw new RangeError('a SHA-512 digest has 64 bytes');
      const digest = sha512(message);
      into.set(digest);
      digest.fill(0);
    },
    wipe(...secrets) {
      for (const secret of secrets) secret.fill(0);
    },
  };
}

function verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || publicKey.length !== PUBLIC_KEY_BYTES) return false;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    // An encoding that is not a point of the curve is not a signature.
    return false;
  }
}

/** In memory outside V8's heap; the caller wipes it. */
function sha512(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = hash('sha512', message, 'buffer');
  return new Uint8Array(buffer, byteOffset, length);
}
