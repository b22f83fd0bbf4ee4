import { sql } from './drizzle.ts';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from './drizzle.ts';
import { bytes, instant } from './columns.ts';

const count = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

/** Plans written by an operator: they override those of the specification with the same name. */
export const plans = pgTable(
  'plans',
  {
    name: text('name').primaryKey(),
    requestsPerSecond: integer('requests_per_second').notNull(),
    burst: integer('burst').notNull(),
  },
  () => [check('plans_figures', sql`requests_per_second >= 1 and burst >= requests_per_second`)],
);

/** Owners of keys. A customer has a name; a store has at most one development account, without a name. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: ['development', 'customer'] }).notNull(),
    name: text('name'),
    createdAt: instant('created_at').notNull(),
    /** The name of a plan, of the table or of the specification; null: the specification's default for this kind of account. */
    plan: text('plan'),
    /** Its tokens may have operator scopes, which count only while this is true. */
    operates: boolean('operates').notNull().default(false),
  },
  (table) => [
    index('accounts_created').on(table.createdAt, table.id),
    check('accounts_kind', sql`kind in ('development', 'customer')`),
    uniqueIndex('accounts_name').on(table.name),
    uniqueIndex('accounts_one_development').on(table.kind).where(sql`kind = 'development'`),
  ],
);

/** The column `account_id`, of tables whose rows belong to an account. */
export const ofAccount = () => uuid('account_id').references(() => accounts.id);

/** API keys. Only the SHA-256 digest of a key is stored; `prefix` is its readable beginning. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount().notNull(),
    digest: bytes('digest').notNull(),
    prefix: text('prefix').notNull(),
    name: text('name').notNull(),
    createdAt: instant('created_at').notNull(),
    revokedAt: instant('revoked_at'),
    /** End of a rotated key, or of one that an expiring token created. */
    expiresAt: instant('expires_at'),
    /** Not rotated: `expires_at` is that of the token that created it. */
    endsWithToken: boolean('ends_with_token').notNull().default(false),
    /** Allowed origins of requests; empty: any. */
    allowedOrigins: text('allowed_origins').array().notNull().default([]),
    allowedCidrs: text('allowed_cidrs').array().notNull().default([]),
    /** `<name>-<environment>`; empty: any. */
    allowedNetworks: text('allowed_networks').array().notNull().default([]),
    /** Names of methods and groups; empty: any. */
    allowedMethods: text('allowed_methods').array().notNull().default([]),
    /** Requests; null: the plan's limit alone. */
    requestsPerSecond: integer('requests_per_second'),
    requestsPerDay: bigint('requests_per_day', { mode: 'number' }),
    /** End date that was chosen for it, and for the keys that replace it. It ends at the earlier of this and `expires_at`. */
    endsAt: instant('ends_at'),
  },
  (table) => [
    uniqueIndex('api_keys_digest').on(table.digest),
    index('api_keys_account').on(table.accountId),
    check('api_keys_digest_size', sql`octet_length(digest) = 32`),
  ],
);

/**
 * The calls of each key per minute, and the messages pushed to it. No foreign key to `api_keys`: a row that the store refused would block
 * all others. `calls` and `weight` count served calls, `errors` those of them that this server or a ledger node failed to answer.
 */
export const usageMinutes = pgTable(
  'usage_minutes',
  {
    minute: instant('minute').notNull(),
    keyId: uuid('key_id').notNull(),
    /** `<name>-<environment>`. */
    network: text('network').notNull(),
    /** A method of the specification, or the name for all others. */
    method: text('method').notNull(),
    calls: count('calls'),
    errors: count('errors'),
    /** Refused because of the plan's limit. */
    refused: count('refused'),
    weight: count('weight'),
    /** Notifications of a subscription, or messages of a topic stream, that were handed to connections of the key. */
    messages: count('messages'),
    /** Served, and answered with an error about the call itself. */
    callerErrors: count('caller_errors'),
  },
  (table) => [
    primaryKey({ columns: [table.minute, table.keyId, table.network, table.method] }),
    index('usage_minutes_key').on(table.keyId, table.minute),
  ],
);

/** Number of batches of counts that each process has written, so that a resent batch is not added twice. */
export const usageWriters = pgTable('usage_writers', {
  id: uuid('id').primaryKey(),
  batches: bigint('batches', { mode: 'number' }).notNull(),
  updatedAt: instant('updated_at').notNull(),
});
