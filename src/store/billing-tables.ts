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

/** Payment modes: chosen by the account's monthly charges, or fixed by the operator. */
export const BILLING_MODES = ['by_volume', 'invoiced', 'prepaid'] as const;

/** Payment terms of accounts. One without a row pays by volume and has no credit limit. Months are in UTC, such as 2026-01. */
export const billingTerms = pgTable(
  'billing_terms',
  {
    accountId: ofAccount().primaryKey(),
    mode: text('mode', { enum: BILLING_MODES }).notNull().default('by_volume'),
    /** Amount by which the balance may go below 0 while the account is invoiced. */
    creditLimit: microUsd('credit_limit').notNull().default(sql`0`),
    /** First month for which it is invoiced; null: it pays from its balance. */
    invoicedSince: text('invoiced_since'),
    /** Last month for which it was invoiced, once it pays from its balance again. */
    invoicedUntil: text('invoiced_until'),
    /** The last reviewed month, and the month at or below the threshold for which it got a notice. */
    reviewed: text('reviewed'),
    below: text('below'),
    /** Billing details that the account wants on its invoices, such as name and address. */
    recipient: text('recipient').notNull().default(''),
  },
  () => [
    check('billing_terms_mode', sql`mode in ('by_volume', 'invoiced', 'prepaid')`),
    check('billing_terms_credit_limit', sql`credit_limit >= 0`),
    check('billing_terms_invoiced', sql`invoiced_since is null or credit_limit > 0`),
  ],
);

/** Past months with charges of an account, which are closed: nothing is added to them. Append-only. */
export const closedMonths = pgTable(
  'closed_months',
  {
    accountId: ofAccount().notNull(),
    month: text('month').notNull(),
    charged: microUsd('charged').notNull(),
    /** Credit for missed availability of the wallet service. */
    serviceCredit: microUsd('service_credit').notNull(),
    /** Minutes that count, and the sum of their unavailable shares, in millionths of a minute. */
    minutes: integer('minutes').notNull(),
    unavailable: bigint('unavailable', { mode: 'bigint' }).notNull(),
    /** Charges of later months have record numbers from this one on. Null: closed before this was kept. */
    nextSeq: bigint('next_seq', { mode: 'number' }),
    closedAt: instant('closed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.month] })],
);

/** Document numbers are assigned without gaps: the row is locked while one is issued. */
export const documentSeries = pgTable('document_series', {
  kind: text('kind', { enum: ['invoice', 'credit_note'] }).primaryKey(),
  /** The last assigned number. */
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
    /** Part that deposits had paid when it was issued. */
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

/** Credit notes for invoices. Append-only. */
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
    /** The operator's reference; a second credit note with the same reference is not issued. */
    reference: text('reference').notNull(),
    issuedAt: instant('issued_at').notNull(),
  },
  (table) => [
    unique('credit_notes_reference').on(table.invoiceNumber, table.reference),
    check('credit_notes_amount', sql`amount > 0`),
  ],
);

/** Balances at which an account wants a notice. */
export const balanceNotices = pgTable(
  'balance_notices',
  {
    accountId: ofAccount().notNull(),
    threshold: microUsd('threshold').notNull(),
    /** False after the notice, until money is added. */
    isArmed: boolean('is_armed').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.threshold] }),
    check('balance_notices_threshold', sql`threshold > 0`),
  ],
);

/** Accounts whose charges exceeded the invoicing threshold in a month, and whose operator was notified. */
export const thresholdCrossings = pgTable(
  'threshold_crossings',
  {
    accountId: ofAccount().notNull(),
    month: text('month').notNull(),
    crossedAt: instant('crossed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.month] })],
);

/** The parts of each UTC minute in which a process was seen to serve wallets: one bit for each five seconds. No row: none of them. */
export const serviceMinutes = pgTable('service_minutes', {
  minute: instant('minute').primaryKey(),
  slots: integer('slots').notNull(),
});

/** Requests of accounts to the wallet service by minute, and the number that the service failed to answer. */
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

/** Availability of the wallet service in past months: without the requests of single accounts. */
export const serviceMonths = pgTable('service_months', {
  month: text('month').primaryKey(),
  minutes: integer('minutes').notNull(),
  /** Minutes of planned work, which are excluded. */
  planned: integer('planned').notNull(),
  unavailable: bigint('unavailable', { mode: 'bigint' }).notNull(),
});

/** Announced work on the service. */
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
