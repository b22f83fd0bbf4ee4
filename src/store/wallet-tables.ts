import { sql } from './drizzle.ts';
import { bigint, check, index, integer, pgTable, primaryKey, text, unique, uuid } from './drizzle.ts';
import { bytes, instant } from './columns.ts';
import { ofAccount } from './tables.ts';

const pathIndex = (name: string) => bigint(name, { mode: 'number' });

/**
 * Managed wallets. A destroyed one has no row. `sealed` is the key as only the signer can open it; null if it is an object in a token. A
 * master may be destroyed before its children: `masterId` names it, and does not require it to exist.
 */
export const wallets = pgTable(
  'wallets',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount().notNull(),
    /** Base-58 of `publicKey`. */
    address: text('address').notNull(),
    kind: text('kind', { enum: ['single', 'master', 'child'] }).notNull(),
    publicKey: bytes('public_key').notNull(),
    sealed: bytes('sealed'),
    /** The protection of the key, in the signer's words. */
    protection: text('protection').notNull(),
    derivationPath: text('derivation_path'),
    masterId: text('master_id'),
    /** The last two indexes of a child's path, without the hardened bit: 0 to 2^31 - 1. */
    x: pathIndex('x'),
    y: pathIndex('y'),
    label: text('label'),
    /** The request that created it and its position among that request's wallets, if the request came with an Idempotency-Key. */
    workId: uuid('work_id'),
    workSeq: integer('work_seq'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    unique('wallets_address').on(table.address),
    unique('wallets_derived').on(table.masterId, table.x, table.y),
    index('wallets_account').on(table.accountId, table.createdAt, table.id),
    index('wallets_of_master')
      .on(table.masterId, table.createdAt, table.id)
      .where(sql`master_id is not null`),
    index('wallets_work').on(table.workId, table.workSeq).where(sql`work_id is not null`),
    check('wallets_kind', sql`kind in ('single', 'master', 'child')`),
    check('wallets_public_key_size', sql`octet_length(public_key) = 32`),
    check(
      'wallets_child',
      sql`(kind = 'child') = (master_id is not null) and (master_id is null) = (x is null) and (x is null) = (y is null)`,
    ),
    check('wallets_indexes', sql`x between 0 and 2147483647 and y between 0 and 2147483647`),
  ],
);

/** Destroyed children: none of them is derived again. */
export const derivationTombstones = pgTable(
  'derivation_tombstones',
  {
    masterId: text('master_id').notNull(),
    x: pathIndex('x').notNull(),
    y: pathIndex('y').notNull(),
    destroyedAt: instant('destroyed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.masterId, table.x, table.y] })],
);

/**
 * Keys that are about to be created as objects in a token. A row is deleted when the wallet is stored, or when the object is destroyed; it
 * identifies objects that a dead process left.
 */
export const keyIntents = pgTable(
  'key_intents',
  {
    walletId: text('wallet_id').primaryKey(),
    accountId: ofAccount().notNull(),
    /** The process that creates the key: a row of `gateways` while it is alive. */
    ownerId: uuid('owner_id').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [index('key_intents_owner').on(table.ownerId)],
);
