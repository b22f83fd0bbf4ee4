import { sql } from './drizzle.ts';
import { bigint, check, index, integer, pgTable, primaryKey, text, uuid } from './drizzle.ts';
import { bytes, changes, charges, instant } from './columns.ts';

/** The account of a chain. `NO_ACCOUNT` of src/account/audit is not an account. */
const ofChain = () => uuid('account_id');

const sequence = (name: string) => bigint(name, { mode: 'number' }).notNull();

/**
 * The end of each account's chain of audit records, and the record up to which its head was signed. The row is locked while a record is
 * added.
 */
export const auditTips = pgTable('audit_tips', {
  accountId: ofChain().primaryKey(),
  seq: sequence('seq'),
  hash: bytes('hash').notNull(),
  signedSeq: sequence('signed_seq').default(0),
  /** Time of the oldest record without a signed head. */
  unsignedSince: instant('unsigned_since'),
});

/**
 * Actions on wallets, keys, tokens and members, with actor and time. Each record holds the hash of the previous one. Append-only: a trigger refuses everything else.
 */
export const auditRecords = pgTable(
  'audit_records',
  {
    accountId: ofChain().notNull(),
    /** From 1, without a gap. */
    seq: sequence('seq'),
    at: instant('at').notNull(),
    action: text('action').notNull(),
    outcome: text('outcome').notNull(),
    tokenId: uuid('token_id'),
    requestId: text('request_id').notNull(),
    walletId: text('wallet_id'),
    /** Number of wallets, or of refused requests, that the record covers. */
    units: integer('units').notNull().default(1),
    /** Address of a refused request. */
    address: text('address'),
    /** The member who acted. */
    memberId: uuid('member_id'),
    /** Id of the subject, if it is not a wallet. */
    subject: text('subject'),
    /** The charges of the transaction that appended the record. */
    charges: charges('charges'),
    /** SHA-256 of the invoice or credit note that was issued, in hexadecimal digits. */
    documentSha256: text('document_sha256'),
    /** The members that a change set, with their values before and after. */
    changes: changes('changes'),
    previousHash: bytes('previous_hash').notNull(),
    hash: bytes('hash').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.seq] }),
    index('audit_records_wallet')
      .on(table.accountId, table.walletId, table.seq)
      .where(sql`wallet_id is not null`),
    // Finds the creators of existing objects when a member is removed.
    index('audit_records_made')
      .on(table.accountId, table.subject)
      .where(
        sql`action in ('createkey', 'rotatekey', 'createtoken', 'createwebhook', 'updatewebhook', 'rotatewebhooksecret')`,
      ),
    index('audit_records_time').on(table.accountId, table.at, table.seq),
    check('audit_records_seq', sql`seq > 0`),
  ],
);

/** Signed statements of a chain's state at one of its records. */
export const auditHeads = pgTable(
  'audit_heads',
  {
    accountId: ofChain().notNull(),
    seq: sequence('seq'),
    hash: bytes('hash').notNull(),
    at: instant('at').notNull(),
    /** Ed25519. */
    publicKey: bytes('public_key').notNull(),
    signature: bytes('signature').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.seq] })],
);
