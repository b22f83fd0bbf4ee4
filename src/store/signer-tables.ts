import { bigint, index, pgTable, primaryKey } from './drizzle.ts';
import { bytes, instant } from './columns.ts';

/** The signers that this store accepts, by their own keys, with their last statements about their records of destroyed keys. */
export const signers = pgTable('signers', {
  /** Ed25519. */
  publicKey: bytes('public_key').primaryKey(),
  /** Number of entries of the record, the hash of all of them, and the time of the statement. */
  tombstones: bigint('tombstones', { mode: 'number' }).notNull(),
  hash: bytes('hash').notNull(),
  at: instant('at').notNull(),
  signature: bytes('signature').notNull(),
});

/**
 * A copy of each signer's record of destroyed keys: a key destroyed at one is refused at all signers of the store. A trigger refuses every
 * change except additions, and those of `keyslot signer adopt`.
 */
export const signerTombstones = pgTable(
  'signer_tombstones',
  {
    signer: bytes('signer').notNull(),
    /** From 1, without a gap. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    /** 16 bytes of SHA-256: of a wallet, or of a child's master and index. */
    fingerprint: bytes('fingerprint').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.signer, table.seq] }),
    index('signer_tombstones_fingerprint').on(table.fingerprint),
  ],
);
