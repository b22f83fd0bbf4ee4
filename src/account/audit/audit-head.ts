import { createPublicKey, verify } from 'node:crypto';

/** A signed statement of a chain's state at one of its records. */
export type AuditHead = {
  readonly accountId: string;
  readonly seq: number;
  /** The hash of that record. */
  readonly hash: Uint8Array;
  readonly atMs: number;
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
};

const DOMAIN = 'keyslot audit head v1\0';

/** The bytes that are signed: a mark, and the head as a JSON array of account, position, hash (hex) and instant (ISO 8601). */
export function headBytes({
  accountId,
  seq,
  hash,
  atMs,
}: Omit<AuditHead, 'publicKey' | 'signature'>): Uint8Array {
  const members = [accountId, seq, Buffer.from(hash).toString('hex'), new Date(atMs).toISOString()];
  return Buffer.from(DOMAIN + JSON.stringify(members));
}

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
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, bytes, key, signature);
}
