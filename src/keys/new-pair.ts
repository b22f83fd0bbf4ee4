import { type KeyPair, PUBLIC_KEY_BYTES, SECRET_KEY_BYTES } from './engine.ts';
import { secretBytes } from './secret-bytes.ts';

/** Where a pair is written; whoever asks for it wipes its secret key. */
export function newPair(): KeyPair {
  return { publicKey: new Uint8Array(PUBLIC_KEY_BYTES), secretKey: secretBytes(SECRET_KEY_BYTES) };
}
