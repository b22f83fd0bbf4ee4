import type { Signer } from '../../signer/signer.ts';
import type { RecordState } from '../../signer/tombstones/record-chain.ts';
import { isSignatureOf } from '../audit/audit-head.ts';

/** A signed statement of the state of a signer's record of destroyed keys. */
export type TombstoneHead = RecordState & {
  readonly atMs: number;
  /** True: the operator adopted the record in this state, and earlier statements no longer apply. */
  readonly isAdoption: boolean;
  /** Ed25519, 32 bytes: the signer's own key. */
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
};

type Statement = Omit<TombstoneHead, 'publicKey' | 'signature'>;

const DOMAIN = 'keyslot tombstones head v1\0';

/** Has a signer sign a statement of its record's state. */
export async function signTombstoneHead(
  signer: Pick<Signer, 'signAuditHead'>,
  publicKey: Uint8Array,
  { count, hash, atMs, isAdoption }: Statement,
): Promise<TombstoneHead> {
  const statement = { count, hash, atMs, isAdoption };
  return { ...statement, publicKey, signature: await signer.signAuditHead(headBytes(statement)) };
}

/** True when the key named in a statement signed it. */
export function isGenuine(head: TombstoneHead): boolean {
  return isSignatureOf(head, headBytes(head));
}

/** The bytes that are signed: a mark, and a JSON array of the count, the hash (hex), the instant (ISO 8601) and whether it was adopted. */
function headBytes({ count, hash, atMs, isAdoption }: Statement): Uint8Array {
  const members = [count, Buffer.from(hash).toString('hex'), new Date(atMs).toISOString(), isAdoption];
  return Buffer.from(DOMAIN + JSON.stringify(members));
}
