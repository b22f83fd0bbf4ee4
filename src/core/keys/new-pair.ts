import { type KeyPair, PUBLIC_KEY_BYTES, SECRET_KEY_BYTES } from './engine.ts';
import { secretBytes } from './secret-bytes.ts';

/** Allocates memory for a key pair; the caller wipes its secret key. */
export function newPair(): KeyPair {
  return { publicKey: new Uint8Array(PUBLIC_KEY_BYTES), secretKey: secretBytes(SECRET_KEY_BYTES) };
}
