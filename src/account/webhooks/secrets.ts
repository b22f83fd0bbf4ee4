import { randomBytes } from 'node:crypto';
import type { InstallationKey } from '../sealing/installation-key.ts';
import { seal, unseal } from '../sealing/seal.ts';

const PREFIX = 'whsec_';
/** Standard Webhooks 1.0 asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new secret: as it is shown once, and as it is stored. */
export type NewSecret = { readonly text: string; readonly sealed: Uint8Array };

/** Creates a secret for a webhook, sealed under the installation key. */
export function createWebhookSecret(key: InstallationKey, webhookId: string): NewSecret {
  const bytes = randomBytes(SECRET_BYTES);
  const sealed = seal(key.derive('webhook secrets'), webhookId, bytes);
  return { text: PREFIX + bytes.toString('base64'), sealed };
}

/**
 * Returns the bytes of a sealed secret.
 *
 * @throws Error, saying what to do, when it was sealed under another installation key.
 */
export function openWebhookSecret(key: InstallationKey, webhookId: string, sealed: Uint8Array): Uint8Array {
  try {
    return unseal(key.derive('webhook secrets'), webhookId, sealed);
  } catch (error) {
    const advice = `the secret of a webhook was not sealed with ${key.path}: restore its key, give all servers of one store the same key with installation_key_file, or rotate the secret`;
    throw new Error(advice, { cause: error });
  }
}
