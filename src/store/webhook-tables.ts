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
import { ofAccount } from './tables.ts';

/** Work that only one process on a store does, and the process that does it, as long as that has a row in `gateways`. */
export const leases = pgTable('leases', {
  name: text('name').primaryKey(),
  gatewayId: uuid('gateway_id').notNull(),
});

/** The reason why a webhook is stopped: a member turned it off, the receiver answered 410, or its last attempt for an event failed. */
export const WEBHOOK_STOPS = ['turned_off', 'gone', 'exhausted'] as const;

/** Receivers of the events of accounts. */
export const webhooks = pgTable(
  'webhooks',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount().notNull(),
    name: text('name').notNull(),
    url: text('url').notNull(),
    /** Types of events, or their beginnings with `*`; empty: all. */
    events: text('events').array().notNull(),
    /** Events of one wallet are delivered in order. */
    isOrdered: boolean('is_ordered').notNull(),
    /** Sealed under the installation key, like `old_secret`, which also signs until an instant. */
    secret: bytes('secret').notNull(),
    oldSecret: bytes('old_secret'),
    oldSecretUntil: instant('old_secret_until'),
    /** The last record of the account's audit log that was delivered, has a row in `webhook_deliveries`, or is not relevant. */
    position: bigint('position', { mode: 'number' }).notNull(),
    /** The record up to which the newest replay goes; it is over when `position` is there. Null: there was none. */
    replayUntil: bigint('replay_until', { mode: 'number' }),
    stop: text('stop', { enum: WEBHOOK_STOPS }),
    stoppedAt: instant('stopped_at'),
    /** Number of failed attempts since the last successful one. */
    failures: integer('failures').notNull().default(0),
    failingSince: instant('failing_since'),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    index('webhooks_account').on(table.accountId, table.createdAt),
    check('webhooks_stop', sql`stop in ('turned_off', 'gone', 'exhausted')`),
  ],
);

/** Kinds of acts that are limited by the hour or the day: replays of a webhook, and stops that members get an email about. */
export const WEBHOOK_ACTS = ['replay', 'stop_email'] as const;

/**
 * Acts on webhooks that are limited. A row outlives its webhook, which could be deleted and made again, and is kept for two days.
 * It references no account: the check would lock that behind its audit log.
 */
export const webhookActs = pgTable(
  'webhook_acts',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id').notNull(),
    webhookId: uuid('webhook_id').notNull(),
    kind: text('kind', { enum: WEBHOOK_ACTS }).notNull(),
    at: instant('at').notNull(),
  },
  (table) => [
    index('webhook_acts_account').on(table.accountId, table.kind, table.at),
    index('webhook_acts_age').on(table.at),
    check('webhook_acts_kind', sql`kind in ('replay', 'stop_email')`),
  ],
);

/** The commitment that a block needs before its events are sent. */
export const LEDGER_COMMITMENTS = ['confirmed', 'finalized'] as const;

/** The commitment of a block at which its events are sent. */
export type LedgerCommitment = (typeof LEDGER_COMMITMENTS)[number];

/** The ledger events that a webhook gets, and the position up to which blocks were read. */
export const webhookLedgers = pgTable(
  'webhook_ledgers',
  {
    webhookId: uuid('webhook_id')
      .primaryKey()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    network: text('network').notNull(),
    commitment: text('commitment', { enum: LEDGER_COMMITMENTS }).notNull(),
    /** `<kind>:<value>` each. */
    filters: text('filters').array().notNull(),
    /** Increases with each change by a member. */
    revision: integer('revision').notNull().default(0),
    /** Signatures of transactions that may be older than their filters, and were not looked up yet. */
    toLookUp: text('to_look_up').array().notNull(),
    /** The events of all blocks up to this slot have rows in `webhook_deliveries`; null: the ledger could not be reached yet. */
    slot: bigint('slot', { mode: 'number' }),
    /** The block of that slot; null: not known. */
    blockhash: text('blockhash'),
    /** The ledger that the slot belongs to; null with `slot`. */
    genesis: text('genesis'),
    /** Number of its events so far. */
    events: bigint('events', { mode: 'number' }).notNull().default(0),
  },
  () => [check('webhook_ledgers_commitment', sql`commitment in ('confirmed', 'finalized')`)],
);

/** `queued`: not tried yet; `waiting`: for its next attempt, or for an earlier event of its wallet. */
export const DELIVERY_STATES = ['queued', 'waiting', 'delivered', 'failed'] as const;

/** Events that were sent to a webhook, or will be sent again. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: uuid('id').primaryKey(),
    webhookId: uuid('webhook_id')
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    eventId: text('event_id').notNull(),
    type: text('type').notNull(),
    /** The record of the audit log with the event; null for an event that is stored in `body`. */
    seq: bigint('seq', { mode: 'number' }),
    body: text('body'),
    /** The position of an event of a ledger, and its number among the events of its webhook; null for others. */
    network: text('network'),
    slot: bigint('slot', { mode: 'number' }),
    position: bigint('position', { mode: 'number' }),
    /** The wallet whose events are delivered in order; null: no wallet, or no order. */
    walletId: text('wallet_id'),
    state: text('state', { enum: DELIVERY_STATES }).notNull(),
    attempts: integer('attempts').notNull(),
    /** Failed attempts since its schedule of retries last began. */
    failures: integer('failures').notNull(),
    /** Null: not before earlier events of its wallet, or when its turn comes. */
    nextAt: instant('next_at'),
    createdAt: instant('created_at').notNull(),
    settledAt: instant('settled_at'),
  },
  (table) => [
    uniqueIndex('webhook_deliveries_event').on(table.webhookId, table.eventId),
    index('webhook_deliveries_list').on(table.webhookId, table.createdAt, table.id),
    index('webhook_deliveries_due').on(table.webhookId, table.nextAt).where(sql`state = 'waiting'`),
    index('webhook_deliveries_wallet')
      .on(table.webhookId, table.walletId, table.seq)
      .where(sql`state = 'waiting' and wallet_id is not null`),
    index('webhook_deliveries_queue').on(table.webhookId, table.position).where(sql`state = 'queued'`),
    index('webhook_deliveries_failed')
      .on(table.webhookId, table.createdAt, table.id)
      .where(sql`state = 'failed'`),
    index('webhook_deliveries_age').on(table.createdAt),
    index('webhook_deliveries_ledger_age').on(table.createdAt).where(sql`network is not null`),
    check('webhook_deliveries_state', sql`state in ('queued', 'waiting', 'delivered', 'failed')`),
  ],
);

/** Delivery attempts with their answers. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    deliveryId: uuid('delivery_id')
      .notNull()
      .references(() => webhookDeliveries.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    at: instant('at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    status: integer('status'),
    /** The beginning of the body of an answer that did not take the event; of others that an earlier version wrote, too. */
    answer: text('answer'),
    /** The reason why there is no answer. */
    error: text('error'),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
);
