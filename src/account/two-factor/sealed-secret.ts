import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { serviceError } from '../../base/service-error.ts';
import type { InstallationKey } from '../installation-key.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals a secret under the installation key, for its owner, an account or a login (AES-256-GCM: nonce, ciphertext, tag). */
export function sealSecret(key: InstallationKey, ownerId: string, secret: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.derive('two-factor secrets'), nonce);
  cipher.setAAD(Buffer.from(ownerId));
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Opens the output of `sealSecret`.
 * @throws ServiceError `installationKeyWrong` when it was sealed under another key or for another owner.
 */
export function openSecret(key: InstallationKey, ownerId: string, sealed: Uint8Array): Uint8Array {
  try {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key.derive('two-factor secrets'), nonce);
    decipher.setAAD(Buffer.from(ownerId)).setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (error) {
    const advice = `${key.path} is not the key that this second factor was sealed with: restore it, give all servers of one store the same one by installation_key_file, or remove and enrol the second factor anew`;
    throw serviceError('installationKeyWrong', {}, new Error(advice, { cause: error }));
  }
}
