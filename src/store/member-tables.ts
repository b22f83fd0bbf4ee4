import { sql } from './drizzle.ts';
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from './drizzle.ts';
import { bytes, instant } from './columns.ts';
import { factorState } from './factor-state.ts';
import { ofAccount } from './tables.ts';

// The columns that nothing here reads (email_verified, image, those of tokens in login_credentials) are of a library that signed members in
// before docs/decisions/0118-logins-of-one-email.md. Gateways of that time, in a rolling upgrade, still select them.

/** People who sign in, by email (in lower case): several logins may share an email, and the password selects one. */
export const logins = pgTable(
  'logins',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    emailVerified: boolean('email_verified').notNull().default(false),
    image: text('image'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (table) => [index('logins_by_email').on(table.email)],
);

/** The column `user_id`, of tables whose rows belong to a login. */
const ofLogin = () => uuid('user_id').references(() => logins.id, { onDelete: 'cascade' });

/** The roles of members, from the one that may do everything. */
export const MEMBER_ROLES = ['owner', 'developer', 'billing', 'viewer'] as const;

const role = () => text('role', { enum: MEMBER_ROLES }).notNull();
const isRole = sql`role in ('owner', 'developer', 'billing', 'viewer')`;

/** Logins as members of an account. Rows stay when a member is removed: the audit log names them. */
export const members = pgTable(
  'members',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount().notNull(),
    userId: ofLogin().notNull(),
    role: role(),
    createdAt: instant('created_at').notNull(),
    removedAt: instant('removed_at'),
  },
  (table) => [
    uniqueIndex('members_one_of_login').on(table.accountId, table.userId).where(sql`removed_at is null`),
    index('members_login').on(table.userId),
    index('members_account').on(table.accountId),
    check('members_role', isRole),
  ],
);

/** Sessions. Only the SHA-256 digest of a token is stored, as hexadecimal digits. A row without a member does not open anything. */
export const loginSessions = pgTable(
  'login_sessions',
  {
    id: uuid('id').primaryKey(),
    userId: ofLogin().notNull(),
    token: text('token').notNull(),
    expiresAt: instant('expires_at').notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    memberId: uuid('member_id').references(() => members.id),
    /** End of the time in which operations that need a fresh second factor are allowed. */
    freshUntil: instant('fresh_until'),
  },
  (table) => [
    uniqueIndex('login_sessions_token').on(table.token),
    index('login_sessions_login').on(table.userId),
    check('login_sessions_token_is_digest', sql`token ~ '^[0-9a-f]{64}$'`),
  ],
);

/** The password of each login, hashed (provider `credential`). */
export const loginCredentials = pgTable(
  'login_credentials',
  {
    id: uuid('id').primaryKey(),
    userId: ofLogin().notNull(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: instant('access_token_expires_at'),
    refreshTokenExpiresAt: instant('refresh_token_expires_at'),
    scope: text('scope'),
    /** Null: no password opens this login until one is set through a link of the operator. */
    password: text('password'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (table) => [uniqueIndex('login_credentials_login').on(table.userId, table.providerId)],
);

/** Invitations of an account. Each works once, until it expires or is withdrawn. */
export const memberInvitations = pgTable(
  'member_invitations',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount().notNull(),
    /** SHA-256 of the token. */
    digest: bytes('digest').notNull(),
    email: text('email').notNull(),
    role: role(),
    invitedBy: uuid('invited_by')
      .references(() => members.id)
      .notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    acceptedAt: instant('accepted_at'),
    withdrawnAt: instant('withdrawn_at'),
  },
  (table) => [
    uniqueIndex('member_invitations_digest').on(table.digest),
    index('member_invitations_account').on(table.accountId),
    check('member_invitations_role', isRole),
  ],
);

/** Links that the operator creates: for an owner of an account, or for a login that has to choose a new password. Each works once. */
export const setupLinks = pgTable(
  'setup_links',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount().notNull(),
    /** The login whose password it sets; null: it adds an owner. */
    userId: ofLogin(),
    /** SHA-256 of the token. */
    digest: bytes('digest').notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    usedAt: instant('used_at'),
  },
  (table) => [
    uniqueIndex('setup_links_digest').on(table.digest),
    index('setup_links_account').on(table.accountId),
  ],
);

/** Second factors of members, one for each login. */
export const memberFactors = pgTable('member_factors', {
  userId: ofLogin().primaryKey(),
  ...factorState(),
});

/** Secrets that were shown to a login and await their first code. */
export const memberFactorDrafts = pgTable('member_factor_drafts', {
  userId: ofLogin().primaryKey(),
  sealedSecret: bytes('sealed_secret').notNull(),
  createdAt: instant('created_at').notNull(),
});

/** Codes that replace the second factor once each: HMAC-SHA256 under the installation key. */
export const backupCodes = pgTable(
  'backup_codes',
  {
    userId: ofLogin().notNull(),
    digest: bytes('digest').notNull(),
    usedAt: instant('used_at'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.digest] })],
);

/** Attempts to sign in, counted by email, by address and by both. */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    /** HMAC-SHA256 under the installation key of the counted value. */
    subject: bytes('subject').primaryKey(),
    failures: integer('failures').notNull(),
    since: instant('since').notNull(),
    lockedUntil: instant('locked_until'),
  },
  (table) => [index('sign_in_attempts_since').on(table.since)],
);
