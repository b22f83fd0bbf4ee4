import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { headBytes, type HeadStatement } from '../../../runtime/audit-bytes.ts';

/** A signed statement of a chain's state at one of its records. */
export type AuditHead = HeadStatement & {
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
};

/** True when one of these keys signed the head. */
export function isSignedBy(head: AuditHead, trustedKeys: readonly Uint8Array[]): boolean {
  if (!trustedKeys.some((key) => Buffer.compare(key, head.publicKey) === 0)) return false;
  return isSignatureOf(head, headBytes(head));
}

/** True when the key signed these bytes. */
export function isSignatureOf(
  { publicKey, signature }: Pick<AuditHead, 'publicKey' | 'signature'>,
  bytes: Uint8Array,
): boolean {
  return verify(null, bytes, keyOf(publicKey), signature);
}

let latest: { readonly x: string; readonly key: KeyObject } | undefined;

/** Most signatures are by the same key as the previous one, and reading a key takes as long as verifying one. */
function keyOf(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url');
  if (latest?.x !== x)
    latest = { x, key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) };
  return latest.key;
}
