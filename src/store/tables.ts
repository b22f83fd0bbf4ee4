import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant } from './columns.ts';

/** Who owns keys. A customer has a name; of development accounts there is at most one in a store, without a name. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: ['development', 'customer'] }).notNull(),
    name: text('name'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    check('accounts_kind', sql`kind in ('development', 'customer')`),
    uniqueIndex('accounts_name').on(table.name),
    uniqueIndex('accounts_one_development').on(table.kind).where(sql`kind = 'development'`),
  ],
);

/** API keys. Only the SHA-256 digest of a key is kept; `prefix` is its beginning, for people to tell keys apart. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    digest: bytes('digest').notNull(),
    prefix: text('prefix').notNull(),
    name: text('name').notNull(),
    createdAt: instant('created_at').notNull(),
    revokedAt: instant('revoked_at'),
    /** From when on a key that was rotated is refused. */
    expiresAt: instant('expires_at'),
    /** Where requests may come from; none: from anywhere. */
    allowedOrigins: text('allowed_origins').array().notNull().default([]),
    allowedCidrs: text('allowed_cidrs').array().notNull().default([]),
  },
  (table) => [
    uniqueIndex('api_keys_digest').on(table.digest),
    index('api_keys_account').on(table.accountId),
    check('api_keys_digest_size', sql`octet_length(digest) = 32`),
  ],
);
