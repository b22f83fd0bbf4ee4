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
  unique,
  uuid,
} from './drizzle.ts';
import { instant, microUsd } from './columns.ts';
import { ofAccount } from './tables.ts';

/** How the way of paying is chosen: by what an account is charged in a month, or always the same by the operator. */
export const BILLING_MODES = ['by_volume', 'invoiced', 'prepaid'] as const;

/** How accounts pay. One without a row pays by volume and has no credit limit. Months are of UTC, such as 2026-01. */
export const billingTerms = pgTable(
  'billing_terms',
  {
    accountId: ofAccount().primaryKey(),
    mode: text('mode', { enum: BILLING_MODES }).notNull().default('by_volume'),
    /** How far below 0 the balance may go while the account is invoiced. */
    creditLimit: microUsd('credit_limit').notNull().default(sql`0`),
    /** The month since which it is invoiced; null: it pays from its balance. */
    invoicedSince: text('invoiced_since'),
    /** The last month at whose end it was invoiced, once it pays from its balance again. */
    invoicedUntil: text('invoiced_until'),
    /** The last month that was reviewed, and the month at or below the threshold that it was told of. */
    reviewed: text('reviewed'),
    below: text('below'),
    /** Name, address and the like, as the account wants them on its invoices. */
    recipient: text('recipient').notNull().default(''),
  },
  () => [
    check('billing_terms_mode', sql`mode in ('by_volume', 'invoiced', 'prepaid')`),
    check('billing_terms_credit_limit', sql`credit_limit >= 0`),
    check('billing_terms_invoiced', sql`invoiced_since is null or credit_limit > 0`),
  ],
);

/** Months in which an account was charged, once they are over: nothing counts in them any more. Append-only. */
export const closedMonths = pgTable(
  'closed_months',
  {
    accountId: ofAccount().notNull(),
    month: text('month').notNull(),
    charged: microUsd('charged').notNull(),
    /** Given back because the wallet service was not available as promised. */
    serviceCredit: microUsd('service_credit').notNull(),
    /** Minutes that count, and the sum of what each of them was unavailable, in millionths of a minute. */
    minutes: integer('minutes').notNull(),
    unavailable: bigint('unavailable', { mode: 'bigint' }).notNull(),
    /** No record of a charge of later months has a lower number. Null: closed before this was kept. */
    nextSeq: bigint('next_seq', { mode: 'number' }),
    closedAt: instant('closed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.month] })],
);

/** The numbers of documents are given out without holes: the row is locked while one is issued. */
export const documentSeries = pgTable('document_series', {
  kind: text('kind', { enum: ['invoice', 'credit_note'] }).primaryKey(),
  /** The last number that was given out. */
  last: bigint('last', { mode: 'number' }).notNull().default(0),
});

/** Invoices, as they were issued. Append-only. */
export const invoices = pgTable(
  'invoices',
  {
    number: bigint('number', { mode: 'number' }).primaryKey(),
    accountId: ofAccount().notNull(),
    month: text('month').notNull(),
    total: microUsd('total').notNull(),
    /** What deposits had paid of it when it was issued. */
    paid: microUsd('paid').notNull(),
    /** The JSON that the account service shows, as it was issued. */
    document: text('document').notNull(),
    issuedAt: instant('issued_at').notNull(),
  },
  (table) => [
    unique('invoices_month').on(table.accountId, table.month),
    index('invoices_account').on(table.accountId, table.number),
  ],
);

/** What was given back of an invoice after it was issued. Append-only. */
export const creditNotes = pgTable(
  'credit_notes',
  {
    number: bigint('number', { mode: 'number' }).primaryKey(),
    invoiceNumber: bigint('invoice_number', { mode: 'number' })
      .notNull()
      .references(() => invoices.number),
    accountId: ofAccount().notNull(),
    amount: microUsd('amount').notNull(),
    reason: text('reason').notNull(),
    /** What the operator calls it; one with the reference of another one is not issued again. */
    reference: text('reference').notNull(),
    issuedAt: instant('issued_at').notNull(),
  },
  (table) => [
    unique('credit_notes_reference').on(table.invoiceNumber, table.reference),
    check('credit_notes_amount', sql`amount > 0`),
  ],
);

/** Amounts of what an account can spend at which it wants to be told. */
export const balanceNotices = pgTable(
  'balance_notices',
  {
    accountId: ofAccount().notNull(),
    threshold: microUsd('threshold').notNull(),
    /** False once it was told, until money is added. */
    isArmed: boolean('is_armed').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.threshold] }),
    check('balance_notices_threshold', sql`threshold > 0`),
  ],
);

/** Accounts that were charged more in a month than what they are invoiced above, and that the operator was told of. */
export const thresholdCrossings = pgTable(
  'threshold_crossings',
  {
    accountId: ofAccount().notNull(),
    month: text('month').notNull(),
    crossedAt: instant('crossed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.month] })],
);

/** Which parts of each minute of UTC some process was seen to serve wallets in: one bit for each five seconds. No row: none of them. */
export const serviceMinutes = pgTable('service_minutes', {
  minute: instant('minute').primaryKey(),
  slots: integer('slots').notNull(),
});

/** Requests of accounts to the wallet service by minute, and those of them that the service failed to answer. */
export const walletMinutes = pgTable(
  'wallet_minutes',
  {
    minute: instant('minute').notNull(),
    accountId: uuid('account_id').notNull(),
    requests: bigint('requests', { mode: 'number' }).notNull(),
    failed: bigint('failed', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.minute] }),
    index('wallet_minutes_minute').on(table.minute),
  ],
);

/** The availability of the wallet service in months that are over: without the requests of single accounts. */
export const serviceMonths = pgTable('service_months', {
  month: text('month').primaryKey(),
  minutes: integer('minutes').notNull(),
  /** Minutes of planned work, which do not count. */
  planned: integer('planned').notNull(),
  unavailable: bigint('unavailable', { mode: 'bigint' }).notNull(),
});

/** Work on the service that was announced. */
export const plannedWork = pgTable(
  'planned_work',
  {
    id: uuid('id').primaryKey(),
    startsAt: instant('starts_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    note: text('note').notNull(),
    announcedAt: instant('announced_at').notNull(),
    cancelledAt: instant('cancelled_at'),
  },
  (table) => [
    index('planned_work_time').on(table.startsAt),
    check('planned_work_times', sql`ends_at > starts_at`),
  ],
);
