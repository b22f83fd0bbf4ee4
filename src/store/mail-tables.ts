import { bytes, instant } from './columns.ts';
import { index, integer, pgTable, text, uuid } from './drizzle.ts';

/** Kinds of emails. */
export const MAIL_KINDS = ['password_reset', 'billing', 'webhook', 'membership'] as const;

/**
 * The outbox: emails that the mail server has not taken yet. A row is added in the transaction of its subject matter, and deleted once the
 * email is sent, refused for good, or obsolete. Address, subject and text are sealed, since an email may contain a link that resets a
 * password.
 */
export const outgoingMails = pgTable(
  'outgoing_mails',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: MAIL_KINDS }).notNull(),
    /** The account that it is about; null: none, or it is older than this column. No reference: see `webhookActs`. */
    accountId: uuid('account_id'),
    sealed: bytes('sealed').notNull(),
    createdAt: instant('created_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAt: instant('next_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [index('outgoing_mails_next').on(table.nextAt)],
);
