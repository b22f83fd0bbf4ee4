import { createPublicKey, verify } from 'node:crypto';

/** Whether a signature is the Ed25519 key's (32 bytes) over the message. */
export function isSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
}
