import { anyOf } from '../../store/any-of.ts';
import { and, asc, eq, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { accounts } from '../../store/tables.ts';
import { webhookDeliveries, webhooks } from '../../store/webhook-tables.ts';

/** A webhook that has something to send. */
export type WorkingWebhook = typeof webhooks.$inferSelect & {
  readonly isOfDevelopment: boolean;
  /** Deliveries that wait for another attempt. */
  readonly waiting: number;
  /** True if the time of one of them has come. */
  readonly isDue: boolean;
  /** True if there are records after its position, or events of ledgers that were not tried yet. */
  readonly hasNew: boolean;
};

/** A delivery that waits. */
export type WaitingDelivery = typeof webhookDeliveries.$inferSelect;

/**
 * Returns the active webhooks with records after their position, or with deliveries that wait or were not tried yet, longest known first.
 */
export async function findWork(store: Pick<Store, 'db'>, nowMs: number): Promise<readonly WorkingWebhook[]> {
  const isWaiting = sql`d.webhook_id = webhooks.id and d.state = 'waiting'`;
  const waiting = sql<number>`(select count(*) from webhook_deliveries d where ${isWaiting})`.mapWith(Number);
  const isDue = sql<boolean>`exists (select from webhook_deliveries d
    where ${isWaiting} and d.next_at <= ${new Date(nowMs).toISOString()}::timestamptz)`;
  const hasNew = sql<boolean>`(exists (select from audit_tips t where t.account_id = webhooks.account_id and t.seq > webhooks.position)
    or exists (select from webhook_deliveries d where d.webhook_id = webhooks.id and d.state = 'queued'))`;
  const rows = await store.db
    .select({ webhook: webhooks, kind: accounts.kind, waiting, isDue, hasNew })
    .from(webhooks)
    .innerJoin(accounts, eq(accounts.id, webhooks.accountId))
    .where(
      sql`${webhooks.stop} is null and (${hasNew} or exists (select from webhook_deliveries d where ${isWaiting}))`,
    )
    .orderBy(asc(webhooks.createdAt));
  return rows.map(({ webhook, kind, ...found }) => ({
    ...webhook,
    ...found,
    isOfDevelopment: kind === 'development',
  }));
}

/** Returns deliveries whose time has come, longest due first. */
export function readDue(
  { db }: Pick<Store, 'db'>,
  webhookId: string,
  nowMs: number,
  limit: number,
): Promise<readonly WaitingDelivery[]> {
  const { webhookId: ofWebhook, state, nextAt } = webhookDeliveries;
  return db
    .select()
    .from(webhookDeliveries)
    .where(
      sql`${eq(ofWebhook, webhookId)} and ${eq(state, 'waiting')} and ${nextAt} <= ${new Date(nowMs).toISOString()}::timestamptz`,
    )
    .orderBy(asc(nextAt))
    .limit(limit);
}

/** Returns the next events of ledgers that were not tried yet. */
export function readQueued(
  { db }: Pick<Store, 'db'>,
  webhookId: string,
  limit: number,
): Promise<readonly WaitingDelivery[]> {
  const { webhookId: ofWebhook, state, position } = webhookDeliveries;
  return db
    .select()
    .from(webhookDeliveries)
    .where(sql`${eq(ofWebhook, webhookId)} and ${eq(state, 'queued')}`)
    .orderBy(asc(position))
    .limit(limit);
}

/** Returns the delivery that has waited longest, even if it is not due yet; undefined if none waits. */
export async function readLongestWaiting(
  { db }: Pick<Store, 'db'>,
  webhookId: string,
): Promise<WaitingDelivery | undefined> {
  const { webhookId: ofWebhook, state, nextAt, createdAt } = webhookDeliveries;
  const [row] = await db
    .select()
    .from(webhookDeliveries)
    .where(sql`${eq(ofWebhook, webhookId)} and ${eq(state, 'waiting')} and ${nextAt} is not null`)
    .orderBy(asc(createdAt))
    .limit(1);
  return row;
}

/** Returns those of these events that already wait for another attempt. */
export async function readWaitingEventIds(
  { db }: Pick<Store, 'db'>,
  webhookId: string,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { webhookId: ofWebhook, state, eventId } = webhookDeliveries;
  const rows = await db
    .select({ eventId })
    .from(webhookDeliveries)
    .where(and(eq(ofWebhook, webhookId), eq(state, 'waiting'), anyOf(eventId, eventIds)));
  return new Set(rows.map((row) => row.eventId));
}

/** Returns those of these wallets whose earlier events wait. */
export async function readBlockedWallets(
  { db }: Pick<Store, 'db'>,
  webhookId: string,
  walletIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (walletIds.length === 0) return new Set();
  const { rows } = await db.execute<{ readonly wallet_id: string }>(sql`
    select distinct wallet_id from webhook_deliveries
    where webhook_id = ${webhookId} and state = 'waiting' and wallet_id = any(${sql.param(walletIds)}::text[])`);
  return new Set(rows.map(({ wallet_id: id }) => id));
}
