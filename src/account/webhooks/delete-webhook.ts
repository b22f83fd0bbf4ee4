import { eq } from '../../store/drizzle.ts';
import { webhooks } from '../../store/webhook-tables.ts';
import { deleteDeliveries } from './deliveries.ts';
import { lockWebhook, type OwnWebhook, type Webhook, type WebhookDeps } from './webhooks.ts';

/**
 * Deletes a webhook, its secrets and its deliveries; returns its former state. It is stopped at once, and its deliveries are deleted in
 * portions, so that other work of the store runs in between: if that is interrupted, it can be deleted again.
 *
 * @throws ServiceError `webhookNotFound`.
 */
export async function deleteWebhook(
  deps: Pick<WebhookDeps, 'store' | 'record'>,
  own: OwnWebhook,
  nowMs: number,
): Promise<Webhook> {
  const webhook = await turnOff(deps, own, nowMs);
  while (await deleteSome(deps, own));
  await deps.store.transaction(async (tx) => {
    await lockWebhook(tx, own);
    await tx.delete(webhooks).where(eq(webhooks.id, own.id));
    await deps.record(tx, own.id);
  });
  return webhook;
}

/** Returns the webhook as it was before. */
function turnOff({ store }: Pick<WebhookDeps, 'store'>, own: OwnWebhook, nowMs: number): Promise<Webhook> {
  return store.transaction(async (tx) => {
    const webhook = await lockWebhook(tx, own);
    const off = { stop: 'turned_off' as const, stoppedAt: new Date(nowMs) };
    if (webhook.stop === null) await tx.update(webhooks).set(off).where(eq(webhooks.id, own.id));
    return webhook;
  });
}

/** Returns true if there may be more deliveries. A round that has begun before the stop writes its own under the same lock. */
function deleteSome({ store }: Pick<WebhookDeps, 'store'>, own: OwnWebhook): Promise<boolean> {
  return store.transaction(async (tx) => {
    await lockWebhook(tx, own);
    return deleteDeliveries(tx, own.id);
  });
}
