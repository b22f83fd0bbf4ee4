import type { Signer } from '../../signer/signer.ts';
import type { RecordState } from '../../signer/tombstones/record-chain.ts';
import { isSignatureOf } from '../audit/audit-head.ts';

/** A signed statement of how a signer's record of destroyed keys was. */
export type TombstoneHead = RecordState & {
  readonly atMs: number;
  /** The operator adopted the record as it was: what was stated before does not bind any more. */
  readonly isAdoption: boolean;
  /** Ed25519, 32 bytes: the signer's own key. */
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
};

type Statement = Omit<TombstoneHead, 'publicKey' | 'signature'>;

const DOMAIN = 'keyslot tombstones head v1\0';

/** Has a signer state how its record is. */
export async function signTombstoneHead(
  signer: Pick<Signer, 'signAuditHead'>,
  publicKey: Uint8Array,
  { count, hash, atMs, isAdoption }: Statement,
): Promise<TombstoneHead> {
  const statement = { count, hash, atMs, isAdoption };
  return { ...statement, publicKey, signature: await signer.signAuditHead(headBytes(statement)) };
}

/** Whether the key of a statement signed it. */
export function isGenuine(head: TombstoneHead): boolean {
  return isSignatureOf(head, headBytes(head));
}

/** The bytes that are signed: a mark, and as a JSON array the count, the hash (hex), the instant (ISO 8601), whether it was adopted. */
function headBytes({ count, hash, atMs, isAdoption }: Statement): Uint8Array {
  const members = [count, Buffer.from(hash).toString('hex'), new Date(atMs).toISOString(), isAdoption];
  return Buffer.from(DOMAIN + JSON.stringify(members));
}
