import { createHash } from 'node:crypto';

/** One fact of the audit log. It never holds a secret, a message that was signed, or a mnemonic. */
export type AuditRecord = {
  readonly accountId: string;
  /** Its place in the account's chain, from 1. */
  readonly seq: number;
  readonly atMs: number;
  /** What was asked for: `create`, `fetch`, `sign`, `destroy`, … */
  readonly action: string;
  /** `ok`, or the stable name of the error that was answered. */
  readonly outcome: string;
  readonly tokenId: string | null;
  readonly requestId: string;
  readonly walletId: string | null;
  /** How many wallets, or requests that were refused, the record stands for. */
  readonly units: number;
  /** Where a request that was refused came from. */
  readonly address?: string | null;
};

const DOMAIN = 'keyslot audit record v1\0';

/** What the first record of a chain has in the place of the hash of the one before: 32 zero bytes. */
export const GENESIS: Uint8Array = new Uint8Array(32);

/**
 * The hash that a record adds to its chain: SHA-256 over a mark, the 32 bytes of the hash before, and the record as JSON, an array
 * of its members in the order of the type, the instant as ISO 8601 in UTC with milliseconds; an address that there is not is no member.
 */
export function hashRecord(previous: Uint8Array, record: AuditRecord): Uint8Array {
  const { accountId, seq, atMs, action, outcome, tokenId, requestId, walletId, units } = record;
  const address = record.address ?? undefined;
  const at = new Date(atMs).toISOString();
  const members = [accountId, seq, at, action, outcome, tokenId, requestId, walletId, units];
  if (address !== undefined) members.push(address);
  return createHash('sha256').update(DOMAIN).update(previous).update(JSON.stringify(members)).digest();
}
