import { generateKeyPairSync, sign } from 'node:crypto';
import type { HeadKey } from '../../../src/account/audit/sign-heads.ts';

/** A key that heads are signed with, as the signer has one. */
export function createHeadKey(): HeadKey & { readonly bytes: Uint8Array } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');
  return {
    bytes,
    publicKey: async () => bytes,
    signHead: async (message) => sign(null, message, privateKey),
  };
}
