import { createPublicKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';

/** True if a signature in base-58 is that of an address over a message (RFC 8032). */
export function isSignature(address: string, message: Uint8Array, signature: string): boolean {
  const x = Buffer.from(base58.decode(address)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, base58.decode(signature));
}
