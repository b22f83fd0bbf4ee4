import { randomUUID } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import type { ListPosition } from '../../core/read-page.ts';
import { serviceError } from '../../core/service-error.ts';
import { and, desc, eq, isNotNull, lt, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { webhookAttempts, webhookDeliveries, webhooks } from '../../store/webhook-tables.ts';
import { createEvent } from './event.ts';
import { readWaitingEvents } from './next-events.ts';
import { lockWebhook, type OwnWebhook, type Webhook } from './webhooks.ts';
import type { Config } from '../../../generated/config.ts';

/** A delivery as it is stored. */
export type Delivery = typeof webhookDeliveries.$inferSelect;

/** A delivery with the body that is sent, and its newest attempts, newest first. */
export type DeliveryDetails = {
  readonly delivery: Delivery;
  readonly body: string | undefined;
  readonly attempts: readonly (typeof webhookAttempts.$inferSelect)[];
};

/** The type of the event that tests a webhook. */
export const TEST_EVENT = 'webhook.test';

/** Maximum number of attempts that are kept and read of a delivery. */
export const MAX_READ_ATTEMPTS = 100;

export type DeliveryDeps = {
  readonly store: Pick<Store, 'db' | 'batched' | 'transaction'>;
  /** Records a change, with the id of the webhook or the delivery, in the transaction that makes it. */
  readonly record: (tx: StoreTransaction, id: string) => Promise<void>;
};

/** Returns deliveries of a webhook after a position, newest first. */
export function readDeliveries(
  { db }: Pick<Store, 'db'>,
  webhookId: string,
  {
    state,
    after,
    limit,
  }: {
    readonly state: Delivery['state'] | undefined;
    readonly after: ListPosition | undefined;
    readonly limit: number;
  },
): Promise<readonly Delivery[]> {
  const { webhookId: owner, state: is, createdAt, id } = webhookDeliveries;
  const behind =
    after && sql`(${createdAt}, ${id}) < (${after.at.toISOString()}::timestamptz, ${after.id}::uuid)`;
  return db
    .select()
    .from(webhookDeliveries)
    .where(and(eq(owner, webhookId), state && eq(is, state), behind))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
}

/** Returns a delivery of an account with its newest attempts, at most 100. @throws ServiceError `deliveryNotFound`. */
export async function readDelivery(
  store: Pick<Store, 'db' | 'batched'>,
  own: OwnWebhook,
): Promise<DeliveryDetails> {
  const { delivery } = await findDelivery(store.db, own);
  const attempts = await store.db
    .select()
    .from(webhookAttempts)
    .where(eq(webhookAttempts.deliveryId, delivery.id))
    .orderBy(desc(webhookAttempts.number))
    .limit(MAX_READ_ATTEMPTS);
  const [outgoing] = await readWaitingEvents(store, own.accountId, [delivery]);
  return { delivery, body: outgoing?.event.body, attempts };
}

/** Makes the event of a delivery due now. @throws ServiceError `deliveryNotFound`, `webhookNotActive`. */
export function retryDelivery(
  { store, record }: DeliveryDeps,
  own: OwnWebhook,
  nowMs: number,
): Promise<Delivery> {
  return store.transaction(async (tx) => {
    const { delivery } = await findDelivery(tx, own);
    assertActive(await lockWebhook(tx, { accountId: own.accountId, id: delivery.webhookId }));
    const due = { state: 'waiting' as const, nextAt: new Date(nowMs), failures: 0, settledAt: null };
    await tx.update(webhookDeliveries).set(due).where(eq(webhookDeliveries.id, delivery.id));
    await record(tx, delivery.id);
    return { ...delivery, ...due };
  });
}

/** Adds a test event that is due now. @throws ServiceError `webhookNotFound`, `webhookNotActive`. */
export function sendTest({ store, record }: DeliveryDeps, own: OwnWebhook, nowMs: number): Promise<Delivery> {
  return store.transaction(async (tx) => {
    assertActive(await lockWebhook(tx, own));
    const id = randomUUID();
    const at = new Date(nowMs);
    const event = createEvent(`test_${id.replaceAll('-', '')}`, TEST_EVENT, at.toISOString(), {
      webhook_id: own.id,
    });
    const delivery: Delivery = {
      id,
      webhookId: own.id,
      eventId: event.id,
      type: event.type,
      body: event.body,
      seq: null,
      walletId: null,
      network: null,
      slot: null,
      position: null,
      state: 'waiting',
      attempts: 0,
      failures: 0,
      nextAt: at,
      createdAt: at,
      settledAt: null,
    };
    await tx.insert(webhookDeliveries).values(delivery);
    await record(tx, own.id);
    return delivery;
  });
}

const PORTION_ROWS = 2_000;

/**
 * Deletes settled deliveries made before an instant, at most 2,000.
 *
 * @param ofLedgers true: only events of ledgers.
 * @returns true if there may be more.
 */
export function purgeDeliveries(
  { db }: Pick<Store, 'db'>,
  beforeMs: number,
  ofLedgers = false,
): Promise<boolean> {
  const { createdAt, state, network } = webhookDeliveries;
  const isSettled = sql`${state} in ('delivered', 'failed')`;
  return deletePortion(
    db,
    and(lt(createdAt, new Date(beforeMs)), isSettled, ofLedgers ? isNotNull(network) : undefined),
  );
}

/** Deletes deliveries of a webhook, including those that wait, at most 2,000. @returns true if there may be more. */
export function deleteDeliveries(tx: StoreTransaction, webhookId: string): Promise<boolean> {
  return deletePortion(tx, eq(webhookDeliveries.webhookId, webhookId));
}

async function deletePortion(
  db: Pick<Store['db'], 'select' | 'delete'>,
  condition: SQL | undefined,
): Promise<boolean> {
  const { id } = webhookDeliveries;
  const portion = db.select({ id }).from(webhookDeliveries).where(condition).limit(PORTION_ROWS);
  const { rowCount } = await db.delete(webhookDeliveries).where(sql`${id} in ${portion}`);
  return rowCount === PORTION_ROWS;
}

async function findDelivery(db: Pick<Store['db'], 'select'>, { accountId, id }: OwnWebhook) {
  const [found] = await db
    .select({ delivery: webhookDeliveries })
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
    .where(and(eq(webhookDeliveries.id, id), eq(webhooks.accountId, accountId)));
  if (found === undefined) throw serviceError('deliveryNotFound', { id });
  return found;
}

function assertActive({ id, stop }: Webhook): void {
  if (stop !== null) throw serviceError('webhookNotActive', { id, reason: stop });
}

const DAY_MS = 86_400_000;

/** Deletes a bounded number of settled deliveries that are older than the settings keep them. @returns true if there may be more. */
export async function retainDeliveries(
  store: Pick<Store, 'db'>,
  settings: Pick<Config['webhooks'], 'retention_days' | 'ledger_retention_days'>,
  nowMs: number,
): Promise<boolean> {
  const { retention_days: days, ledger_retention_days: ledgerDays } = settings;
  const hasMore = await purgeDeliveries(store, nowMs - ledgerDays * DAY_MS, true);
  return (await purgeDeliveries(store, nowMs - days * DAY_MS)) || hasMore;
}
