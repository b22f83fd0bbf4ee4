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
import { factorState } from './factor-state.ts';
import { ofAccount } from './tables.ts';

/**
 * Processes that serve on this store, each with an id that is new at every start. The id identifies work that a dead process left
 * unfinished.
 */
export const gateways = pgTable('gateways', {
  id: uuid('id').primaryKey(),
  /** The machine (and its process namespace) that `pid` and `started` belong to. */
  machine: text('machine').notNull(),
  pid: integer('pid').notNull(),
  started: text('started').notNull(),
  /** Time of the database's clock. */
  seenAt: instant('seen_at').notNull().default(sql`now()`),
});

/** Access tokens of the wallet API. Only the SHA-256 digest of a token is stored; `prefix` is its readable beginning. */
export const accessTokens = pgTable(
  'access_tokens',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount().notNull(),
    digest: bytes('digest').notNull(),
    prefix: text('prefix').notNull(),
    name: text('name').notNull(),
    scopes: text('scopes').array().notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
  },
  (table) => [
    uniqueIndex('access_tokens_digest').on(table.digest),
    index('access_tokens_account').on(table.accountId),
    check('access_tokens_digest_size', sql`octet_length(digest) = 32`),
    check('access_tokens_scopes', sql`cardinality(scopes) > 0`),
  ],
);

/** Accounts whose wallet creation limit differs from spec/plans.yaml. */
export const walletCreateLimits = pgTable(
  'wallet_create_limits',
  {
    accountId: ofAccount().primaryKey(),
    /** Per window of spec/plans.yaml. */
    requests: integer('requests').notNull(),
  },
  () => [check('wallet_create_limits_requests', sql`requests > 0`)],
);

/** Accounts whose managed wallet limit differs from their plan. */
export const walletUseLimits = pgTable(
  'wallet_use_limits',
  {
    accountId: ofAccount().primaryKey(),
    /** Per window of spec/plans.yaml. */
    requests: integer('requests').notNull(),
  },
  () => [check('wallet_use_limits_requests', sql`requests > 0`)],
);

/** Requests of accounts for a higher limit. An open one is withdrawn, granted or refused, once. */
export const limitRequests = pgTable(
  'limit_requests',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount().notNull(),
    kind: text('kind', { enum: ['plan', 'wallet_create', 'wallet_use'] }).notNull(),
    /** A plan's name, or the number of requests in a window of the limit. */
    wanted: text('wanted').notNull(),
    reason: text('reason').notNull(),
    state: text('state', { enum: ['open', 'withdrawn', 'granted', 'refused'] })
      .notNull()
      .default('open'),
    /** The reason for a refusal. */
    answer: text('answer'),
    createdAt: instant('created_at').notNull(),
    decidedAt: instant('decided_at'),
  },
  (table) => [
    check('limit_requests_kind', sql`kind in ('plan', 'wallet_create', 'wallet_use')`),
    check('limit_requests_state', sql`state in ('open', 'withdrawn', 'granted', 'refused')`),
    check('limit_requests_decided', sql`(state = 'open') = (decided_at is null)`),
    index('limit_requests_account').on(table.accountId, table.createdAt, table.id),
    index('limit_requests_open').on(table.createdAt, table.id).where(sql`state = 'open'`),
  ],
);

/** Second factors of accounts. */
export const twoFactors = pgTable('two_factors', {
  accountId: ofAccount().primaryKey(),
  ...factorState(),
});

/** Requests with an Idempotency-Key, for 24 hours. The row is written before the work begins. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountId: ofAccount().notNull(),
    key: text('key').notNull(),
    /** HMAC-SHA256 of the request under the installation key. */
    fingerprint: bytes('fingerprint').notNull(),
    /** The process that does the work; null if it stopped midway and the request may resume it. */
    ownerId: uuid('owner_id'),
    /** New each time a request begins or resumes the work, which revokes the earlier claim. */
    claimId: uuid('claim_id').notNull().defaultRandom(),
    /** Id on the wallets that the work has created. */
    workId: uuid('work_id').notNull().defaultRandom(),
    /** The answer; null while the work is under way. */
    status: integer('status'),
    /** Null if the answer had a secret; empty if it is rebuilt from the wallets of the work. */
    body: bytes('body'),
    /**
     * Number of charged wallets of an answer that was not kept: those that did not arrive are created again, once. Null for keys from
     * before this was promised.
     */
    charged: bigint('charged', { mode: 'number' }),
    /** True when the client was seen to receive the whole answer. */
    isDrained: boolean('is_drained').notNull().default(false),
    /** True when undelivered wallets were requested again. */
    isReplaced: boolean('is_made_again').notNull().default(false),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.key] }),
    index('idempotency_keys_created').on(table.createdAt),
    index('idempotency_keys_under_way').on(table.ownerId).where(sql`status is null`),
  ],
);
