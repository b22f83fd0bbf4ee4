import { bigint, index, pgTable, primaryKey } from './drizzle.ts';
import { bytes, instant } from './columns.ts';

/** The signers that this store takes, by their own keys, and what each stated last of its record of destroyed keys. */
export const signers = pgTable('signers', {
  /** Ed25519. */
  publicKey: bytes('public_key').primaryKey(),
  /** Entries of the record, the hash of all of them, and when that was stated. */
  tombstones: bigint('tombstones', { mode: 'number' }).notNull(),
  hash: bytes('hash').notNull(),
  at: instant('at').notNull(),
  signature: bytes('signature').notNull(),
});

/**
 * A copy of each signer's record of destroyed keys: what is destroyed at one is refused at all who share the store. A trigger refuses every
 * change but additions, and what `keyslot signer adopt` does.
 */
export const signerTombstones = pgTable(
  'signer_tombstones',
  {
    signer: bytes('signer').notNull(),
    /** From 1, without a gap. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    /** 16 bytes of SHA-256: of a wallet, or of a child's place below its master. */
    fingerprint: bytes('fingerprint').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.signer, table.seq] }),
    index('signer_tombstones_fingerprint').on(table.fingerprint),
  ],
);
