import { createHmac, type KeyObject } from 'node:crypto';
import type { Reader } from './readers.ts';

/** Bytes of a reader's name at all gateways: the first half of the HMAC. */
export const NAME_BYTES = 16;

/**
 * Returns a function that names readers: by an HMAC-SHA256 under a key that the gateways of an installation share. Names of sessions are
 * often short and few, and nobody can try them without the key.
 *
 * @returns names of 22 characters (base64url).
 */
export function nameReaders(key: KeyObject): (reader: Reader) => string {
  return ({ keyId, session = null }) =>
    createHmac('sha256', key)
      .update(JSON.stringify([keyId, session]))
      .digest()
      .subarray(0, NAME_BYTES)
      .toString('base64url');
}
