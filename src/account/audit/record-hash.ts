import { createHash } from 'node:crypto';

/** A record of the audit log. It never holds a secret, a signed message, or a mnemonic. */
export type AuditRecord = {
  readonly accountId: string;
  /** Position in the account's chain, from 1. */
  readonly seq: number;
  readonly atMs: number;
  /** The requested action: `create`, `fetch`, `sign`, `destroy`, … */
  readonly action: string;
  /** `ok`, or the stable name of the error that was answered. */
  readonly outcome: string;
  readonly tokenId: string | null;
  readonly requestId: string;
  readonly walletId: string | null;
  /** Number of wallets, or refused requests, that the record covers. */
  readonly units: number;
  /** Address that a refused request came from. */
  readonly address?: string | null;
  /** The member who acted. */
  readonly memberId?: string | null;
  /** Id of what was acted on, if it is no wallet: an API key, an access token, a member, an invitation, a session. */
  readonly subject?: string | null;
};

const DOMAIN = 'keyslot audit record v1\0';

/** The previous hash of a chain's first record: 32 zero bytes. */
export const GENESIS: Uint8Array = new Uint8Array(32);

/**
 * The hash of a record in its chain: SHA-256 over a mark, the 32 bytes of the previous hash, and the record as a JSON array of its members
 * in the order of the type, the instant as ISO 8601 in UTC with milliseconds. A missing address is left out. A member and a
 * subject follow in one array of both, which a record without either does not have. See docs/decisions/0020-audit-chain.md.
 */
export function hashRecord(previous: Uint8Array, record: AuditRecord): Uint8Array {
  const { accountId, seq, atMs, action, outcome, tokenId, requestId, walletId, units } = record;
  const address = record.address ?? undefined;
  const at = new Date(atMs).toISOString();
  const { memberId = null, subject = null } = record;
  const members: unknown[] = [accountId, seq, at, action, outcome, tokenId, requestId, walletId, units];
  if (address !== undefined) members.push(address);
  if (memberId !== null || subject !== null) members.push([memberId, subject]);
  return createHash('sha256').update(DOMAIN).update(previous).update(JSON.stringify(members)).digest();
}
