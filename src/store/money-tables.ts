import { sql } from './drizzle.ts';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from './drizzle.ts';
import { instant, microUsd } from './columns.ts';
import { ofAccount } from './tables.ts';

/**
 * The four book accounts of each customer. `balance` is the sum of its entries, updated with them in one statement. `floor` is the minimum
 * balance: minus the credit limit for `available`, else 0 or null.
 */
export const bookAccounts = pgTable(
  'ledger_accounts',
  {
    accountId: ofAccount().notNull(),
    /** Spendable, reserved for work under way, charged, and deposited (negative). */
    kind: text('kind', { enum: ['available', 'reserved', 'revenue', 'funding'] }).notNull(),
    balance: microUsd('balance').notNull().default(sql`0`),
    floor: microUsd('floor'),
    /** The customer's last closed month: nothing is added to it. Only for `available`. */
    closedMonth: text('closed_month'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.kind] }),
    check('ledger_accounts_kind', sql`kind in ('available', 'reserved', 'revenue', 'funding')`),
    check('ledger_accounts_floor', sql`floor is null or balance >= floor`),
  ],
);

/** Deposits; refunds of a month, direct or by a credit note; money reserved for work, charged for it, and released. */
export const MOVEMENT_KINDS = [
  ...(['credit', 'test_credit', 'service_credit', 'credit_note'] as const),
  ...(['reserve', 'charge', 'refund'] as const),
] as const;

/** Movements of money. Append-only: a trigger refuses everything else. */
export const ledgerTransactions = pgTable(
  'ledger_transactions',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: ofAccount().notNull(),
    kind: text('kind', { enum: MOVEMENT_KINDS }).notNull(),
    reservationId: uuid('reservation_id'),
    /** The charge: a price row of spec/plans.yaml, the number of units, and their UTC month. */
    operation: text('operation'),
    units: bigint('units', { mode: 'bigint' }),
    month: text('month'),
    note: text('note'),
    /** The operator's reference of a credit; a second credit with the same reference is not booked. */
    reference: text('reference'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    check(
      'ledger_transactions_kind',
      sql`kind in ('credit', 'test_credit', 'service_credit', 'credit_note', 'reserve', 'charge', 'refund')`,
    ),
    index('ledger_transactions_account').on(table.accountId, table.id),
    index('ledger_transactions_time').on(table.accountId, table.createdAt, table.id),
    index('ledger_transactions_deposits')
      .on(table.accountId, table.createdAt)
      .where(sql`kind in ('credit', 'test_credit', 'service_credit', 'credit_note')`),
    uniqueIndex('ledger_transactions_reference')
      .on(table.accountId, table.reference)
      .where(sql`reference is not null`),
    uniqueIndex('ledger_transactions_one_test_credit').on(table.accountId).where(sql`kind = 'test_credit'`),
  ],
);

/** The parts of a movement, one for each book account that it changes; a trigger enforces that their sum is zero. Append-only. */
export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    transactionId: bigint('transaction_id', { mode: 'bigint' })
      .notNull()
      .references(() => ledgerTransactions.id),
    accountId: uuid('account_id').notNull(),
    kind: text('kind', { enum: ['available', 'reserved', 'revenue', 'funding'] }).notNull(),
    amount: microUsd('amount').notNull(),
    balanceAfter: microUsd('balance_after').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.transactionId, table.kind] }),
    foreignKey({
      name: 'ledger_entries_ledger_account',
      columns: [table.accountId, table.kind],
      foreignColumns: [bookAccounts.accountId, bookAccounts.kind],
    }),
    check('ledger_entries_amount', sql`amount <> 0`),
  ],
);

/** Money reserved for work. `charged` and `delivered` grow while it is open; the rest is returned when it is closed. */
export const reservations = pgTable(
  'reservations',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount().notNull(),
    /** The process that does the work: a row of `gateways` while it is alive. */
    ownerId: uuid('owner_id').notNull(),
    /** A price row of spec/plans.yaml. */
    operation: text('operation').notNull(),
    /** The UTC month of the operations, such as 2025-01. */
    month: text('month').notNull(),
    units: bigint('units', { mode: 'bigint' }).notNull(),
    amount: microUsd('amount').notNull(),
    delivered: bigint('delivered', { mode: 'bigint' }).notNull().default(sql`0`),
    charged: microUsd('charged').notNull().default(sql`0`),
    createdAt: instant('created_at').notNull(),
    closedAt: instant('closed_at'),
    /** Settlement when its process is gone: charged in full, because it may have been delivered, or returned. */
    isChargedWhenLost: boolean('is_charged_when_lost').notNull().default(false),
    /** The claim in `idempotency_keys` of its request, if that has one. */
    claimId: uuid('claim_id'),
    /** The unit prices behind the amount, and the number of units of a month at the standard price; null in older rows. */
    standardPrice: microUsd('standard_price'),
    volumePrice: microUsd('volume_price'),
    volumeThreshold: bigint('volume_threshold', { mode: 'bigint' }),
  },
  (table) => [
    check('reservations_bounds', sql`delivered between 0 and units and charged between 0 and amount`),
    index('reservations_open').on(table.ownerId).where(sql`closed_at is null`),
    index('reservations_claim').on(table.claimId).where(sql`closed_at is null and claim_id is not null`),
  ],
);

/** Units of each price row that an account was charged for in a UTC month: above a threshold the volume price applies. */
export const operationCounts = pgTable(
  'operation_counts',
  {
    accountId: ofAccount().notNull(),
    operation: text('operation').notNull(),
    month: text('month').notNull(),
    units: bigint('units', { mode: 'bigint' }).notNull(),
    /** Total charge for the units; 0 in months before this was recorded. */
    amount: microUsd('amount').notNull().default(sql`0`),
    /** True once the month of the account is closed. */
    isClosed: boolean('is_closed').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.operation, table.month] }),
    index('operation_counts_open').on(table.month, table.accountId).where(sql`not is_closed`),
  ],
);

/**
 * Sums of charges of this month and the last, from before the audit log had charges: written by the migration, deleted once they are
 * recorded there.
 */
export const carriedCharges = pgTable(
  'carried_charges',
  {
    accountId: ofAccount().notNull(),
    operation: text('operation').notNull(),
    month: text('month').notNull(),
    units: bigint('units', { mode: 'bigint' }).notNull(),
    amount: microUsd('amount').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.operation, table.month] })],
);
