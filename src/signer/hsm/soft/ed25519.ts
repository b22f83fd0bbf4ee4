import sodium from 'sodium-native';
import { secretBuffer, wipe } from './secret.ts';

/** Ed25519 (RFC 8032) on seeds of 32 bytes. What it computes from a seed is wiped before it returns. */
export type Ed25519 = {
  readonly publicKey: (seed: Uint8Array) => Buffer;
  readonly sign: (seed: Uint8Array, message: Uint8Array) => Buffer;
};

/** On libsodium, with a secret memory of its own for the expanded key. Not for several threads. */
export function createEd25519(): Ed25519 {
  const secretKey = secretBuffer(64);
  const expand = (seed: Uint8Array): Buffer => {
    const publicKey = Buffer.allocUnsafeSlow(32);
    sodium.crypto_sign_seed_keypair(publicKey, secretKey, seed);
    return publicKey;
  };
  return {
    publicKey: (seed) => {
      const publicKey = expand(seed);
      wipe(secretKey);
      return publicKey;
    },
    sign: (seed, message) => {
      expand(seed);
      const signature = Buffer.allocUnsafeSlow(64);
      sodium.crypto_sign_detached(signature, message, secretKey);
      wipe(secretKey);
      return signature;
    },
  };
}
