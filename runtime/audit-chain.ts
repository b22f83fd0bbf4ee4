import { headBytes, recordBytes } from './audit-bytes.ts';
import { fromHex, toHex } from './hex.ts';
import { readAuditRecord, type ShownRecord } from './read-audit-record.ts';

/** A record of the audit log as the account service shows it, with its place in the chain. */
export type ChainRecord = ShownRecord & { readonly previous_hash: string; readonly hash: string };

/** A signed head as the account service shows it. */
export type ChainHead = {
  readonly seq: number;
  readonly hash: string;
  readonly at: string;
  readonly public_key: string;
  readonly signature: string;
};

/** The cryptography that verifies a chain. */
export type ChainCrypto = {
  /** SHA-256. */
  readonly digest: (bytes: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer>;
  /** True for a signature by Ed25519. */
  readonly isSignature: (
    head: Pick<ChainHead, 'public_key' | 'signature'>,
    bytes: Uint8Array<ArrayBuffer>,
  ) => Promise<boolean>;
};

/** A fault of a record or one of its heads, which was changed after it was written. */
export type ChainFault = { readonly seq: number } & (
  | { readonly kind: 'missing' }
  /** The record, or its hash, was changed. */
  | { readonly kind: 'changed'; readonly recomputed: string; readonly stored: string }
  /** It does not follow the previous record. */
  | { readonly kind: 'unlinked'; readonly previous: string; readonly expected: string }
  /** A signed head states another hash. */
  | { readonly kind: 'head'; readonly stored: string; readonly stated: string }
  | { readonly kind: 'signature'; readonly publicKey: string }
);

/** A record of a chain, by its number and hash. The hash of a record that was not read is undefined. */
export type ChainPlace = { readonly seq: number; readonly hash: string | undefined };

/** Returns the first fault in the records after a place; their hashes are computed at the same time. */
export async function findRecordFault(
  { digest }: Pick<ChainCrypto, 'digest'>,
  records: readonly ChainRecord[],
  { seq, hash, accountId }: ChainPlace & { readonly accountId: string },
): Promise<ChainFault | undefined> {
  const recomputed = await Promise.all(records.map((record) => hashOf(digest, record, accountId)));
  let expected = hash;
  for (const [index, record] of records.entries()) {
    const at = seq + 1 + index;
    const { previous_hash: previous, hash: stored } = record;
    const own = recomputed[index] ?? '';
    if (record.seq !== at) return { kind: 'missing', seq: at };
    if (own !== stored) return { kind: 'changed', seq: at, recomputed: own, stored };
    if (expected !== undefined && previous !== expected)
      return { kind: 'unlinked', seq: at, previous, expected };
    expected = stored;
  }
  return undefined;
}

/** Returns the fault of a head of a record with this hash. */
export async function findHeadFault(
  { isSignature }: Pick<ChainCrypto, 'isSignature'>,
  head: ChainHead,
  { stored, accountId }: { readonly stored: string; readonly accountId: string },
): Promise<ChainFault | undefined> {
  const { seq, hash, at, public_key: publicKey } = head;
  if (hash !== stored) return { kind: 'head', seq, stored, stated: hash };
  const bytes = headBytes({ accountId, seq, hash: fromHex(hash), atMs: Date.parse(at) });
  return (await isSignature(head, bytes)) ? undefined : { kind: 'signature', seq, publicKey };
}

async function hashOf(
  digest: ChainCrypto['digest'],
  record: ChainRecord,
  accountId: string,
): Promise<string> {
  const members = { ...readAuditRecord(record), accountId };
  return toHex(new Uint8Array(await digest(recordBytes(fromHex(record.previous_hash), members))));
}
