import { sql } from './drizzle.ts';
import { bigint, check, index, pgTable, primaryKey, text, uuid } from './drizzle.ts';
import { instant, microUsd } from './columns.ts';

const count = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

/** The sums of calls and messages: by network and method, or in total; by UTC hour or day. */
export const USAGE_SERIES = ['methods_day', 'methods_hour', 'total_day', 'total_hour'] as const;

/**
 * Sums of `usage_minutes`, written with them: of each key (not `methods_hour`), and of each account (`methods_day` and `methods_hour`). Keys
 * of no account are summed up under the account 00000000-0000-0000-0000-000000000000.
 */
export const usageSums = pgTable(
  'usage_sums',
  {
    /** An account or a key. */
    ownerId: uuid('owner_id').notNull(),
    series: text('series', { enum: USAGE_SERIES }).notNull(),
    start: instant('start').notNull(),
    /** Empty in totals, as is `method`. */
    network: text('network').notNull(),
    method: text('method').notNull(),
    calls: count('calls'),
    errors: count('errors'),
    refused: count('refused'),
    weight: count('weight'),
    messages: count('messages'),
    /** Served, and answered with an error about the call itself. */
    callerErrors: count('caller_errors'),
  },
  (table) => [
    primaryKey({ columns: [table.ownerId, table.series, table.start, table.network, table.method] }),
    index('usage_sums_start').on(table.start),
    check('usage_sums_series', sql`series in ('methods_day', 'methods_hour', 'total_day', 'total_hour')`),
  ],
);

/** UTC units of time for the sums of network calls. */
export const CALL_UNITS = ['five_minutes', 'hour', 'day'] as const;

/**
 * The calls of all accounts on each network, and their durations: for each five minutes, and their sums. Processes add to the same rows.
 */
export const networkCalls = pgTable(
  'network_calls',
  {
    unit: text('unit', { enum: CALL_UNITS }).notNull(),
    /** `<name>-<environment>`. */
    network: text('network').notNull(),
    start: instant('start').notNull(),
    calls: count('calls'),
    errors: count('errors'),
    /** Calls in each bucket of durations (see src/account/usage/call-durations.ts), without those of lower buckets. */
    durations: bigint('durations', { mode: 'number' }).array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.unit, table.network, table.start] }),
    index('network_calls_start').on(table.start),
    check('network_calls_unit', sql`unit in ('five_minutes', 'hour', 'day')`),
  ],
);

/** Last use of an API key or an access token, and the address of that request. */
export const keyUses = pgTable('key_uses', {
  id: uuid('id').primaryKey(),
  usedAt: instant('used_at').notNull(),
  address: text('address'),
});

/** Sums of the requests in `audit_records` to the wallet service, by hour of UTC. */
export const walletRequestHours = pgTable(
  'wallet_request_hours',
  {
    accountId: uuid('account_id').notNull(),
    hour: instant('hour').notNull(),
    /** The access token, or the member who called from the dashboard. */
    callerId: uuid('token_id').notNull(),
    action: text('action').notNull(),
    requests: count('requests'),
    refused: count('refused'),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.hour, table.callerId, table.action] })],
);

function chargeSumColumns() {
  return {
    accountId: uuid('account_id').notNull(),
    hour: instant('hour').notNull(),
    /** A price row of spec/plans.yaml. */
    operation: text('operation').notNull(),
    units: bigint('units', { mode: 'bigint' }).notNull(),
    cost: microUsd('cost').notNull(),
  };
}

/** Sums of the charges in the books, by hour of UTC. */
export const walletChargeSums = pgTable('wallet_charge_sums', chargeSumColumns(), (table) => [
  primaryKey({ columns: [table.accountId, table.hour, table.operation] }),
]);

/**
 * Sums of charges by time, written by gateways of the version before `wallet_charge_sums` while they run alongside newer ones. They lack
 * late charges, and no newer version reads or writes them: a later migration may drop them, and `charged_until` of the tips.
 */
export const walletChargeHours = pgTable('wallet_charge_hours', chargeSumColumns(), (table) => [
  primaryKey({ columns: [table.accountId, table.hour, table.operation] }),
]);

/** The position up to which an account is summed: a record of its chain, and a movement of its books. Later ones are not included. */
export const walletSumTips = pgTable('wallet_sum_tips', {
  accountId: uuid('account_id').primaryKey(),
  seq: bigint('seq', { mode: 'number' }).notNull(),
  chargedId: bigint('charged_id', { mode: 'number' }).notNull().default(0),
  /** The time when all charges were included, by the clock of the process that added them; null while there are more. */
  chargesSummedAt: instant('charges_summed_at'),
  /** The hour of the books up to which `wallet_charge_hours` are summed. */
  chargedUntil: instant('charged_until').notNull(),
});
