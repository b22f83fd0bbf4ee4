import { bytes, instant } from './columns.ts';
import { index, integer, pgTable, text, uuid } from './drizzle.ts';

/** What mails are about. */
export const MAIL_KINDS = ['password_reset', 'billing', 'webhook'] as const;

/**
 * Mails that the mail server has not taken yet: the outbox. A row is added in the transaction of what it tells, and deleted once it is sent,
 * refused for good, or no longer of use. Address, subject and text are sealed: a link that resets a password is one of them.
 */
export const outgoingMails = pgTable(
  'outgoing_mails',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: MAIL_KINDS }).notNull(),
    sealed: bytes('sealed').notNull(),
    createdAt: instant('created_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAt: instant('next_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [index('outgoing_mails_next').on(table.nextAt)],
);
