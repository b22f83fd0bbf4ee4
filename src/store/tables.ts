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

/** Plans that an operator wrote: they override those of the specification with the same name. */
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
    /** The name of a plan, of the table or of the specification; none: the specification's for this kind of account. */
    plan: text('plan'),
    /** Its tokens may have the scopes of an operator, which count only while this is true. */
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

/** API keys. Only the SHA-256 digest of a key is stored; `prefix` is its beginning, for people to tell keys apart. */
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
    /** When a key stops working that was rotated, or that a token made which expires then. */
    expiresAt: instant('expires_at'),
    /** It was not rotated: `expires_at` is that of the token that made it. */
    endsWithToken: boolean('ends_with_token').notNull().default(false),
    /** Allowed origins of requests; none: from anywhere. */
    allowedOrigins: text('allowed_origins').array().notNull().default([]),
    allowedCidrs: text('allowed_cidrs').array().notNull().default([]),
  },
  (table) => [
    uniqueIndex('api_keys_digest').on(table.digest),
    index('api_keys_account').on(table.accountId),
    check('api_keys_digest_size', sql`octet_length(digest) = 32`),
  ],
);

/**
 * The calls of each key per minute, and the messages pushed to it. Not bound to `api_keys`: a row that the store refused would hold up all others. `calls` and `weight`
 * are those served, `errors` those of them that this server or a ledger node failed to answer.
 */
export const usageMinutes = pgTable(
  'usage_minutes',
  {
    minute: instant('minute').notNull(),
    keyId: uuid('key_id').notNull(),
    /** `<name>-<environment>`. */
    network: text('network').notNull(),
    /** A method of the specification, or the name that covers all others. */
    method: text('method').notNull(),
    calls: count('calls'),
    errors: count('errors'),
    /** Not served: the plan's limit was reached. */
    refused: count('refused'),
    weight: count('weight'),
    /** Notifications of a subscription, or messages of a topic stream, which were handed to connections of the key. */
    messages: count('messages'),
    /** Served, and answered with an error about the call itself. */
    callerErrors: count('caller_errors'),
  },
  (table) => [
    primaryKey({ columns: [table.minute, table.keyId, table.network, table.method] }),
    index('usage_minutes_key').on(table.keyId, table.minute),
  ],
);

/** Number of batches of counts that each process has written, so that a batch sent again is not added again. */
export const usageWriters = pgTable('usage_writers', {
  id: uuid('id').primaryKey(),
  batches: bigint('batches', { mode: 'number' }).notNull(),
  updatedAt: instant('updated_at').notNull(),
});
