import { serviceError } from '../../../core/service-error.ts';
import type { InstallationKey } from '../../sealing/installation-key.ts';
import { seal, unseal } from '../../sealing/seal.ts';

/** Seals a secret under the installation key, for its owner, an account or a login. */
export function sealSecret(key: InstallationKey, ownerId: string, secret: Uint8Array): Uint8Array {
  return seal(key.derive('two-factor secrets'), ownerId, secret);
}

/**
 * Opens the output of `sealSecret`.
 * @throws ServiceError `installationKeyWrong` when it was sealed under another key or for another owner.
 */
export function openSecret(key: InstallationKey, ownerId: string, sealed: Uint8Array): Uint8Array {
  try {
    return unseal(key.derive('two-factor secrets'), ownerId, sealed);
  } catch (error) {
    const advice = `${key.path} is not the key that this second factor was sealed with: restore the right key, give all servers of one store the same key with installation_key_file, or remove the second factor and enrol it again`;
    throw serviceError('installationKeyWrong', {}, new Error(advice, { cause: error }));
  }
}
