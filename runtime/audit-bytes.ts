/** Units of a row of the price list that a record charges, and their cost. */
export type AuditCharge = {
  /** A row of the price list, such as `managed_signing`. */
  readonly operation: string;
  readonly units: number;
  /** Their UTC month, such as `2026-01`. */
  readonly month: string;
  /** Micro-USD. */
  readonly amount: number;
  /** The prices behind the amount; absent for refunds, and for charges from before prices were recorded. */
  readonly prices?: ChargePrices;
};

/** A member that a change set, with its value before and after as people read it. */
export type AuditChange = { readonly member: string; readonly before: string; readonly after: string };

/** Prices of a row of the price list, in micro-USD per unit. */
export type ChargePrices = {
  readonly standard: number;
  readonly volume: number;
  /** Units of a month above this number have the volume price. */
  readonly volumeThreshold: number;
};

/** A record of the audit log, as covered by its hash. It never holds a secret, a signed message, or a mnemonic. */
export type AuditRecord = {
  readonly accountId: string;
  /** Position in the account's chain, from 1. */
  readonly seq: number;
  readonly atMs: number;
  /** The requested action: `create`, `fetch`, `sign`, `destroy`, … */
  readonly action: string;
  /** `ok`, or the stable name of the error. */
  readonly outcome: string;
  readonly tokenId: string | null;
  readonly requestId: string;
  readonly walletId: string | null;
  /** Number of wallets, or refused requests, that the record covers. */
  readonly units: number;
  /** Address of a refused request. */
  readonly address?: string | null;
  /** The member who acted. */
  readonly memberId?: string | null;
  /** Id of the subject, if it is not a wallet: an API key, an access token, a member, an invitation, a session. */
  readonly subject?: string | null;
  /** The charges of the transaction that appended the record, in their order. */
  readonly charges?: readonly AuditCharge[] | null;
  /** SHA-256 of the issued document, in hexadecimal digits (see `documentBytes`). */
  readonly documentSha256?: string | null;
  /** The members that a change set, in their order. */
  readonly changes?: readonly AuditChange[] | null;
};

/** A statement of a chain's state at one of its records. */
export type HeadStatement = {
  readonly accountId: string;
  readonly seq: number;
  /** The hash of that record. */
  readonly hash: Uint8Array;
  readonly atMs: number;
};

const RECORD_DOMAIN = 'keyslot audit record v1\0';
const HEAD_DOMAIN = 'keyslot audit head v1\0';

/** The previous hash of a chain's first record: 32 zero bytes. */
export const GENESIS: Uint8Array = new Uint8Array(32);

const encoder = new TextEncoder();

/**
 * The bytes whose SHA-256 is the hash of a record in its chain: a mark, the 32 bytes of the previous hash, and the record as a JSON array
 * of its members in the order of the type, the instant as ISO 8601 in UTC with milliseconds. A missing address is left out. Optional parts
 * follow: a member and a subject in one array; charges in an array of arrays; the digest of a document as the only member of an object; and changes as the only member of another.
 * See docs/decisions/0020-audit-chain.md.
 */
export const recordBytes = (previous: Uint8Array, record: AuditRecord): Uint8Array<ArrayBuffer> => {
  const { accountId, seq, atMs, action, outcome, tokenId, requestId, walletId, units } = record;
  const { address = null, memberId = null, subject = null, charges = null } = record;
  const { documentSha256 = null, changes = null } = record;
  const at = new Date(atMs).toISOString();
  const members: unknown[] = [accountId, seq, at, action, outcome, tokenId, requestId, walletId, units];
  if (address !== null) members.push(address);
  if (memberId !== null || subject !== null) members.push([memberId, subject]);
  if (charges !== null) members.push(charges.map(chargeMembers));
  if (documentSha256 !== null) members.push({ document_sha256: documentSha256 });
  if (changes !== null) members.push({ changes: changes.map(changeMembers) });
  const mark = encoder.encode(RECORD_DOMAIN);
  const text = encoder.encode(JSON.stringify(members));
  const bytes = new Uint8Array(mark.length + previous.length + text.length);
  bytes.set(mark);
  bytes.set(previous, mark.length);
  bytes.set(text, mark.length + previous.length);
  return bytes;
};

/** A charge as covered by its record's hash: row, units, month, micro-USD; then the prices, if it has any. */
export const chargeMembers = ({ prices, ...charge }: AuditCharge): readonly unknown[] => {
  const { operation, units, month, amount } = charge;
  const members = [operation, units, month, amount];
  return prices === undefined
    ? members
    : [...members, prices.standard, prices.volume, prices.volumeThreshold];
};

/** A change as covered by its record's hash. */
export const changeMembers = ({ member, before, after }: AuditChange): readonly [string, string, string] => [
  member,
  before,
  after,
];

/** The bytes that are signed: a mark, and the head as a JSON array of account, position, hash (hex) and instant (ISO 8601). */
export const headBytes = ({ accountId, seq, hash, atMs }: HeadStatement): Uint8Array<ArrayBuffer> => {
  const members = [accountId, seq, hexOf(hash), new Date(atMs).toISOString()];
  return encoder.encode(HEAD_DOMAIN + JSON.stringify(members));
};

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
